// What stands behind a Handle: its two buffers, and its kept contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/handle_shadow.h"
#include "pintle/device.h"
#include "pintle/handle.h"
#include "pintle/queue.h"

namespace pintle::memory {

/// The error of a moved-from or default-made Handle.
[[nodiscard]] Error empty_handle();
/// "\"a\", \"b\"": for messages. A long list is shortened.
[[nodiscard]] std::string quoted_names(std::span<const std::string> names);

/// Memory, and the generation of the device that it belongs to.
struct PlacedBuffer {
  Buffer buffer;
  std::uint64_t generation = 0;
};

/// The whole new contents of a handle. The handle does not know them before `accept`.
struct HandleContents {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;   ///< Keeps the bytes alive; null where they are to be copied.
  HostBytes shadow;                    ///< The same bytes, if they become the shadow.
  std::optional<PlacedBuffer> placed;  ///< New memory, for a stale handle.
  BufferView target;
};

class HandleState {
 public:
  [[nodiscard]] static Result<std::unique_ptr<HandleState>> create(const Device& device, std::string name, DType dtype,
                                                                   const Shape& shape, Keep keep,
                                                                   const HandleOptions& options);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] DType dtype() const noexcept { return front_.buffer.dtype(); }
  [[nodiscard]] const Shape& shape() const noexcept { return front_.buffer.shape(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return front_.buffer.size_bytes(); }
  [[nodiscard]] Keep::Kind keep() const noexcept { return keep_.kind(); }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint64_t generation() const noexcept { return front_.generation; }
  [[nodiscard]] bool is_stale() const noexcept { return front_.generation != device_.generation(); }
  /// `stale` for a stale handle.
  [[nodiscard]] Result<void> check_current() const;

  [[nodiscard]] const BufferView& view() const noexcept { return front_.buffer.view(); }
  [[nodiscard]] Result<BufferView> next();
  [[nodiscard]] Result<void> flip();
  [[nodiscard]] Result<void> renew();

  /// `invalid_argument` with both values unless dtype (none: bytes) and size are the handle's.
  [[nodiscard]] Result<void> check_source(std::optional<DType> dtype, std::uint64_t size) const;
  /// Settles the shadow, if there is one.
  [[nodiscard]] Result<void> settle(Deadline deadline);
  /// Contents from these bytes, which have the handle's size. Called after `settle`.
  [[nodiscard]] Result<HandleContents> contents_from(std::span<const std::byte> bytes,
                                                     std::shared_ptr<const void> owner);
  /// True where `kept_contents` has contents to return, as far as is known without waiting.
  [[nodiscard]] bool is_kept();
  /// The contents that the handle's Keep keeps. Called after `settle`.
  [[nodiscard]] Result<HandleContents> kept_contents();
  /// Notes that the submission of these contents was accepted; `point` is its point.
  void accept(HandleContents&& contents, const Point& point) noexcept;

  /// Adds the copy to the list. Called after `settle`.
  [[nodiscard]] Result<HostBytes> begin_checkpoint(CommandList& list);
  void accept_checkpoint(HostBytes copy, const Point& point) noexcept { shadow_.expect(std::move(copy), point); }

 private:
  HandleState(Device device, std::string name, Keep keep, HandleOptions options) noexcept
      : device_(std::move(device)), name_(std::move(name)), keep_(std::move(keep)), options_(options) {}
  [[nodiscard]] Result<PlacedBuffer> allocate(DType dtype, const Shape& shape) const;
  [[nodiscard]] Result<HostBytes> refilled() const;
  [[nodiscard]] Error nothing_kept() const;

  Device device_;
  std::string name_;
  Keep keep_;
  HandleOptions options_;
  PlacedBuffer front_;
  std::optional<Buffer> back_;  // belongs to the generation of the front
  HandleShadow shadow_;
};

/// A handle and its new contents.
struct HandleWrite {
  HandleState* handle = nullptr;
  HandleContents contents;
};

/// Submits all writes as one list. On an error every handle is unchanged.
[[nodiscard]] Result<Point> submit_writes(Queue& queue, std::vector<HandleWrite> writes, Deadline deadline);

}  // namespace pintle::memory
