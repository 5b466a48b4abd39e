// Buffers: device bytes with a dtype and a shape, and views of parts of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/access.h"
#include "pintle/deadline.h"
#include "pintle/dtype.h"
#include "pintle/error.h"
#include "pintle/fwd.h"
#include "pintle/placement.h"

namespace pintle {

/// When a buffer gets its memory.
enum class Allocation : std::uint8_t {
  eager = 1,  ///< When it is made.
  lazy = 2,   ///< At its first submission, recording, map or `native`: that call may answer `out_of_memory`.
};

/// How a buffer is allocated.
struct BufferOptions {
  std::string label{};  ///< In messages: `[Buffer 12 "view matrix"]`.
  Placement placement = Placement::device;
  std::uint64_t alignment = 1;  ///< Bytes; a power of two, at most 4096. The device's own minimum always holds.
  Allocation allocation = Allocation::eager;
  /// How long allocating may take, where a driver waits for its device: behind a kernel that does not end, `timeout`.
  /// What the driver makes later is given back. Memory of a lazy buffer has the default.
  Timeout timeout{};
};

/// A view of a part of a buffer: an id and a range of bytes, never a pointer. A command that uses it after the buffer
/// is destroyed is `stale`. A plain value; any thread may copy and use it.
class BufferView {
 public:
  BufferView() noexcept = default;

  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  /// Bytes from the buffer's start to the view's.
  [[nodiscard]] std::uint64_t offset_bytes() const noexcept { return offset_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
  /// The elements [first, first + count) as one dimension. `invalid_argument` beyond the end, with both numbers.
  [[nodiscard]] Result<BufferView> slice(std::uint64_t first, std::uint64_t count) const;
  /// These bytes with another dtype and shape. `invalid_argument` for another size in bytes, and for an offset that is
  /// no multiple of the dtype's size.
  [[nodiscard]] Result<BufferView> as(DType dtype, const Shape& shape) const;

 private:
  friend class Inside;

  BufferView(std::uint64_t incarnation, std::uint64_t buffer, std::uint64_t size, DType dtype,
             const Shape& shape) noexcept
      : incarnation_(incarnation), buffer_(buffer), size_(size), dtype_(dtype), shape_(shape) {}

  std::uint64_t incarnation_ = 0;  // unique in the process, so a view of another device or generation is told apart
  std::uint64_t buffer_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  DType dtype_ = DType::u8;
  Shape shape_{0};
};

/// Owns device memory. Destruction never blocks: the memory is freed when the last submission that uses it is reached.
/// Move-only. A call with a moved-from buffer is `invalid_argument`; the view of a destroyed buffer is `stale`, with
/// the buffer's name. One thread at a time; any thread may use its views.
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(Buffer&& other) noexcept
      : table_(std::exchange(other.table_, nullptr)), view_(std::exchange(other.view_, {})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    const BufferView before = view_;
    core::BufferTable* const its = std::exchange(table_, std::exchange(other.table_, nullptr));
    view_ = std::exchange(other.view_, {});
    if (its != nullptr) destroy(*its, before);  // last: what the buffer kept may own `other`
    return *this;
  }
  ~Buffer() {
    if (table_ != nullptr) destroy(*table_, view_);
  }

  [[nodiscard]] DType dtype() const noexcept { return view_.dtype(); }
  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return view_.size_bytes(); }
  /// Its name in messages: `[Buffer 12 "view matrix"]`.
  [[nodiscard]] std::string text() const noexcept;
  [[nodiscard]] const BufferView& view() const noexcept { return view_; }
  operator const BufferView&() const noexcept { return view_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] Result<BufferView> slice(std::uint64_t first, std::uint64_t count) const {
    return view_.slice(first, count);
  }

  /// Answers the buffer's bytes in the host's memory. Points alone order the host's accesses: wait for the last command
  /// that uses the buffer before reading or writing the bytes. For memory of a pool, the call blocks until the work
  /// that used the memory before has finished. Errors: `unsupported` where the host cannot map the buffer (place it on
  /// the host: `Placement::host`); `invalid_argument` for a sealed buffer (use `map_read`).
  [[nodiscard]] Result<std::span<std::byte>> map();
  /// Answers the bytes for reading only. A sealed buffer is accepted. Otherwise as `map`.
  [[nodiscard]] Result<std::span<const std::byte>> map_read();
  /// Ends one `map` or `map_read`. Does nothing where there is none.
  void unmap() noexcept;

  /// Seals the buffer for ever: from now on a command that writes it is `invalid_argument`, also in a recording made
  /// before. Work in flight goes on.
  Result<void> seal();
  [[nodiscard]] bool is_sealed() const noexcept;

  /// Keeps `kept` until this buffer is destroyed or freed, however many times it has moved. `kept` is let go after the
  /// memory has been given back, and after what was kept before it. Work in flight may still use the memory then.
  Result<void> keep(std::shared_ptr<const void> kept);

  /// Backend-specific access: `buffer.native<cpu::CpuMemory>()`. `unsupported` on another backend. A struct of memory
  /// has `narrow(offset, size)`; this call passes it the buffer's place in the memory that a pool has from the device.
  template <class T>
  [[nodiscard]] Result<T> native() const {
    T out;
    PINTLE_ASSIGN(offset, fill_native(T::native_type, &out));
    if constexpr (requires { out.narrow(offset, size_bytes()); }) out.narrow(offset, size_bytes());
    return out;
  }

 private:
  friend class Inside;
  Buffer(core::BufferTable& table, const BufferView& view) noexcept : table_(&table), view_(view) {}
  static void destroy(core::BufferTable& table, const BufferView& view) noexcept;
  Result<std::uint64_t> fill_native(std::string_view type, void* out) const;
  [[nodiscard]] Result<std::span<std::byte>> map_for(Access access);

  core::BufferTable* table_ = nullptr;  // lives as long as one of its buffers
  BufferView view_;
};

}  // namespace pintle
