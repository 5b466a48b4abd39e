// Handles: state that stays on a device, such as weights, a cache, an optimiser's moments.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/buffer.h"
#include "pintle/deadline.h"
#include "pintle/dtype.h"
#include "pintle/elements.h"
#include "pintle/error.h"
#include "pintle/fwd.h"
#include "pintle/info.h"
#include "pintle/signal.h"

namespace pintle {

namespace memory {
class HandleState;
}  // namespace memory

/// What remains of a handle when its device is lost. A value.
class Keep {
 public:
  enum class Kind : unsigned char { lost = 1, host_shadow = 2, refill = 3 };
  /// Fills all of the bytes, which are zeros before. The call that restores answers its error. It runs on the thread
  /// that restores, and must not use the handle or its set.
  using Fill = std::function<Result<void>(std::span<std::byte>)>;

  /// Nothing remains: after a loss the bytes are gone.
  [[nodiscard]] static Keep lost() noexcept { return Keep(Kind::lost); }
  /// A copy on the host remains; `write` and `checkpoint` refresh it. It takes up to three times the handle's bytes
  /// there.
  [[nodiscard]] static Keep host_shadow() noexcept { return Keep(Kind::host_shadow); }
  /// `fill` makes the bytes again.
  [[nodiscard]] static Keep refill(Fill fill) {
    Keep keep(Kind::refill);
    keep.fill_ = std::move(fill);
    return keep;
  }
  /// `fill` makes the elements again: `Keep::refill<float>(fill)`. The handle's dtype must be T's.
  template <Element T>
  [[nodiscard]] static Keep refill(std::function<Result<void>(std::span<T>)> fill) {
    Keep keep(Kind::refill);
    keep.dtype_ = dtype_of<T>();
    const auto wrap = [](void* function) -> Fill {
      return [fill = std::move(*static_cast<decltype(&fill)>(function))](std::span<std::byte> bytes) {
        return fill(std::span(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)));
      };
    };
    if (fill) keep.take(wrap, &fill);
    return keep;
  }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// The dtype of the elements that the function fills; empty where it fills bytes.
  [[nodiscard]] std::optional<DType> dtype() const noexcept { return dtype_; }
  /// The function of `refill`; empty for the other kinds.
  [[nodiscard]] const Fill& fill() const noexcept { return fill_; }

 private:
  explicit Keep(Kind kind) noexcept : kind_(kind) {}
  /// Makes the function: `wrap(function)`, or one that answers `out_of_memory` where memory runs out for that.
  void take(Fill (*wrap)(void* function), void* function) noexcept;

  Kind kind_;
  std::optional<DType> dtype_;
  Fill fill_;
};

/// The kind's name: "lost", "host_shadow" or "refill".
[[nodiscard]] std::string_view name(Keep::Kind kind) noexcept;

/// How a handle's memory is allocated.
struct HandleOptions {
  Placement placement = Placement::device;
  std::uint64_t alignment = 1;  ///< Bytes, as in `BufferOptions`.
};

/// Named, typed memory of a device. It outlives plans, programs and queues and, where its Keep says so, the loss of the
/// device. Only its owner frees it. After `Device::recover()` the handle is stale until `restore`, `write` or `renew`
/// gives it memory of the new generation. Move-only; a moved-from handle answers `invalid_argument`. One thread at a
/// time; any thread may use its views.
class Handle {
 public:
  Handle() noexcept;
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  /// Allocates the memory. Its contents are undefined until they are written or restored: a function of `refill` runs
  /// at `restore`, not here. Errors: `invalid_argument` for a name that no safetensors file can hold (empty,
  /// "__metadata__", not UTF-8), and for a refill of another dtype or without a function; else those of
  /// `Device::allocate`.
  [[nodiscard]] static Result<Handle> create(const Device& device, std::string name, DType dtype, const Shape& shape,
                                             Keep keep, HandleOptions options = {});

  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] DType dtype() const noexcept;
  [[nodiscard]] Shape shape() const noexcept;
  [[nodiscard]] std::uint64_t size_bytes() const noexcept;
  [[nodiscard]] Keep::Kind keep() const noexcept;
  /// Its name in messages: `[Handle "kv"]`.
  [[nodiscard]] std::string text() const noexcept;
  /// The generation of the device that the memory belongs to; 0 for a moved-from handle.
  [[nodiscard]] std::uint64_t generation() const noexcept;
  /// True where the device is at another generation than the memory, and for a moved-from handle.
  [[nodiscard]] bool is_stale() const noexcept;

  /// The front: the state as it is. A view that was taken before a loss, and the view of a stale handle, are `stale`
  /// where they are used.
  [[nodiscard]] BufferView view() const noexcept;
  /// The back: the state as it will be after `flip`, with the same dtype and shape. The first call allocates it, with
  /// undefined contents. Errors: those of `Device::allocate`; `stale` for a stale handle.
  [[nodiscard]] Result<BufferView> next();
  /// Exchanges the back and the front, on the host only: nothing is copied, submitted or waited for. Work that was
  /// submitted before keeps the views that it was given. `invalid_argument` where there is no back; `stale` for a stale
  /// handle.
  Result<void> flip();

  /// Replaces the whole front, after everything submitted to `queue` before. The caller may reuse its memory at once.
  /// The element type and count must be the handle's (std::byte fits every dtype): otherwise `invalid_argument` with
  /// both, and nothing is written. A stale handle gets memory of the new generation first. With a host shadow the write
  /// is a checkpoint as well, and blocks like one.
  template <HostRange R>
  Result<Point> write(Queue& queue, const R& from, Timeout timeout = {}) {
    using T = HostValue<R>;
    std::optional<DType> dtype;
    if constexpr (!std::same_as<T, std::byte>) dtype = dtype_of<T>();
    return write_bytes(queue, dtype, std::as_bytes(std::span(from)), timeout);
  }

  /// Copies the front to the host, after everything submitted to `queue` before. The copy becomes the shadow when the
  /// point is reached, so a loss before that leaves the shadow of before. One copy is on its way at a time: the call
  /// blocks while another is, until `timeout`. `invalid_argument` without a host shadow; `stale` for a stale handle.
  Result<Point> checkpoint(Queue& queue, Timeout timeout = {});

  /// Puts back the contents that its Keep has: the bytes of the last checkpoint or write whose point was reached, or
  /// those that the function fills. A stale handle gets memory of the new generation, without a back; any other handle
  /// is restored in place. Blocks while a checkpoint is on its way, until `timeout`. Where nothing is kept (`lost`, or
  /// no checkpoint was reached): `stale` for a stale handle, else `invalid_argument`. On an error the handle is as
  /// before.
  Result<Point> restore(Queue& queue, Timeout timeout = {});

  /// Gives a stale handle memory of the new generation with undefined contents, whatever its Keep says; a shadow stays.
  /// Does nothing on any other handle.
  Result<void> renew();

 private:
  friend class Inside;
  explicit Handle(std::unique_ptr<memory::HandleState> state) noexcept;
  Result<Point> write_bytes(Queue& queue, std::optional<DType> dtype, std::span<const std::byte> from, Timeout timeout);

  std::unique_ptr<memory::HandleState> state_;
};

}  // namespace pintle
