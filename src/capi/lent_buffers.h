// Buffers that another object owns: an arena's values, a state's two sides, a heap's bytes on its device. A
// pintle_buffer names them in views; its kind is another, so a call that needs a buffer of the caller's refuses it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "capi/objects.h"

namespace pintle::capi {

/// The handle of a lent buffer, with the bits of its pintle_buffer.
struct LentBuffer {
  std::uint64_t id = 0;
};

/// The bytes that were lent. Core knows when their memory has ended.
class LentBytes {
 public:
  LentBytes(const BufferView& bytes, std::string text) noexcept : bytes_(bytes), text_(std::move(text)) {}

  [[nodiscard]] const BufferView& view() const noexcept { return bytes_; }
  /// The owner's name in messages.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  BufferView bytes_;
  std::string text_;
};

inline constexpr unsigned lent_kind = 44;
PINTLE_C_KIND(LentBuffer, LentBytes, lent_kind, "buffer");

[[nodiscard]] inline bool is_lent(pintle_buffer buffer) noexcept { return HandleId::kind(buffer.id) == lent_kind; }

/// What an object has lent, by numbers of its own. It ends with the object. Any thread may call anything.
class LentBuffers {
 public:
  LentBuffers() noexcept = default;
  LentBuffers(const LentBuffers&) = delete;
  LentBuffers& operator=(const LentBuffers&) = delete;
  ~LentBuffers();

  /// Fills `out`, which can be written, with a view of all of `bytes`. They are lent once for each number.
  [[nodiscard]] Result<void> lend(std::uint64_t number, const BufferView& bytes, const std::string& owner,
                                  pintle_view* out);
  /// Ends what was lent under the number, if anything was.
  void end(std::uint64_t number) noexcept;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, LentBuffer> lent_;
};

}  // namespace pintle::capi
