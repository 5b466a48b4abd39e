// Queues: lists in, points out.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/commands.h"
#include "pintle/deadline.h"
#include "pintle/fwd.h"
#include "pintle/info.h"
#include "pintle/signal.h"
#include "pintle/submit_options.h"

namespace pintle {

/// How a queue is created.
struct QueueOptions {
  QueueKind kind = QueueKind::compute;
  std::string label{};  ///< In messages: `[Queue 2 "copy"]`.
};

/// Runs lists in order, each after the one before. Its points lie on its own timeline, which rises by one with each
/// submission. A queue has failed once a submission fails after it was accepted. Later submissions then get the first
/// cause, since they would compute on undefined bytes: create a new queue. Destroying a queue never blocks, and its
/// work goes on. Move-only; one thread at a time.
class Queue {
 public:
  Queue() noexcept = default;
  Queue(Queue&&) noexcept = default;
  Queue& operator=(Queue&&) noexcept = default;

  /// Checks the list, starts it, and returns its point. The list is taken over, and gone after an error, too. An error
  /// means that nothing was started. Blocks only while the queue is full, for at most the default deadline.
  Result<Point> submit(CommandList&& list);
  /// Starts the list when every point of `options.after` is reached. An error means that nothing was started or
  /// signalled. Blocks only while the queue is full, for at most `options.timeout`. Otherwise as above.
  Result<Point> submit(CommandList&& list, SubmitOptions options);
  /// Replays a recording; `bindings[i]` fills slot i. A stale or wrong binding is an error before anything runs.
  /// Otherwise as `submit`.
  Result<Point> replay(const Recording& recording, std::span<const SlotValue> bindings, SubmitOptions options);
  Result<Point> replay(const Recording& recording, std::initializer_list<SlotValue> bindings = {}) {
    return replay(recording, std::span(bindings.begin(), bindings.size()));
  }
  Result<Point> replay(const Recording& recording, std::span<const SlotValue> bindings);
  /// Submits the list and blocks until its point is reached. `timeout` bounds the wait; the work goes on after a
  /// timeout.
  Result<void> submit_and_wait(CommandList&& list, Timeout timeout = {});

  /// Allocates a buffer from `resource` (a `Pool`, for example) for work that is submitted to this queue from now on.
  /// Other queues wait for `last()` before they use it. Its contents are undefined unless the resource says otherwise.
  /// Where `resource` is a pool that does not scrub, any thread may call this.
  [[nodiscard]] Result<Buffer> allocate(const Resource& resource, DType dtype, const Shape& shape,
                                        const BufferOptions& options = {});
  /// Gives a buffer back; never blocks. Its memory is free for work that comes after everything submitted to this queue
  /// so far, and after every submission that names the buffer. A buffer that is destroyed instead waits for the latter
  /// alone.
  Result<void> free(Buffer buffer);
  /// Makes a buffer of the device with the bytes that `buffer` has after everything submitted to this queue so far, by
  /// a copy that this queue submits now. Whatever uses the new buffer, on any queue, waits for the copy as for a point
  /// of `SubmitOptions::after`, and fails with it. Other queues' writes of `buffer` are ordered by points, as for any
  /// copy. The new buffer is not sealed. Errors: those of `Device::allocate` and of `submit`.
  [[nodiscard]] Result<Buffer> fork(const Buffer& buffer, std::string label = {});

  /// Success, or the error of a list that would use `view` with this `access`: another device, a destroyed or sealed
  /// buffer, a queue that takes no more submissions. Submits nothing.
  Result<void> check(const BufferView& view, Access access) const;

  /// The point of the last submission; reached on a fresh queue. Empty for a moved-from queue.
  [[nodiscard]] Point last() const noexcept;
  /// Its name in messages: `[Queue 2 "copy"]`.
  [[nodiscard]] std::string text() const noexcept;

  /// Backend-specific access: `queue.native<opencl::OpenClQueue>()`. `unsupported` on another backend.
  template <class T>
  [[nodiscard]] Result<T> native() const {
    T out;
    PINTLE_TRY(fill_native(T::native_type, &out));
    return out;
  }

  /// Begins a submission that starts when the point is reached; does not block: `queue.after(ready.at(1)).exec(kernel,
  /// grid, a, b).signal(done.at(2)).submit()`.
  [[nodiscard]] Submission after(Point point) noexcept;
  /// Begins a submission that waits for nothing.
  [[nodiscard]] Submission begin() noexcept;

 private:
  friend class Inside;
  explicit Queue(std::shared_ptr<core::QueueState> state) noexcept : state_(std::move(state)) {}
  Result<void> fill_native(std::string_view type, void* out) const;
  Result<void> check_own(const Buffer& buffer) const;
  // These answer the value of the point.
  Result<std::uint64_t> start(CommandList&& list, SubmitOptions* options);
  Result<std::uint64_t> start(const Recording& recording, std::span<const SlotValue> bindings, SubmitOptions* options);

  std::shared_ptr<core::QueueState> state_;
};

/// A submission under construction. `after` and `signal` concern the submission as a whole, wherever they stand in the
/// chain. `submit` answers an error on the way, such as host memory that runs out.
class Submission {
 public:
  Submission&& after(Point point) noexcept;
  Submission&& signal(Point point) noexcept;
  Submission&& copy(const BufferArgument& to, const BufferArgument& from) {
    list_.copy(to, from);
    return std::move(*this);
  }
  template <class... Arguments>
  Submission&& exec(const Kernel& kernel, const Extent& extent, const Arguments&... arguments) {
    list_.exec(kernel, extent, arguments...);
    return std::move(*this);
  }
  template <HostRange R>
  Submission&& upload(const BufferView& to, const R& from) {
    list_.upload(to, from);
    return std::move(*this);
  }
  template <HostRange R>
  Submission&& download(R&& to, const BufferView& from) {
    list_.download(std::forward<R>(to), from);
    return std::move(*this);
  }
  Submission&& barrier() {
    list_.barrier();
    return std::move(*this);
  }
  Submission&& label(std::string_view text) {
    list_.label(text);
    return std::move(*this);
  }
  /// The list so far, for the commands that have no short form here.
  [[nodiscard]] CommandList& list() noexcept { return list_; }

  /// Submits the list, as `Queue::submit` does.
  Result<Point> submit();

 private:
  friend class Inside;
  explicit Submission(Queue& queue) noexcept : queue_(&queue) {}
  Submission&& add(std::vector<Point>& to, Point&& point) noexcept;

  Queue* queue_;
  CommandList list_;
  SubmitOptions options_;
  std::optional<Error> error_;
};

namespace core {

/// Host memory that a read fills. `owner` keeps it until the device has written it.
struct HostMemory {
  std::shared_ptr<void> owner;
  std::span<std::byte> bytes;
};

/// `make(bytes)` returns memory of that size. It may run out of memory.
Result<void> read_elements(Queue& queue, const BufferView& from,
                           const std::function<HostMemory(std::uint64_t bytes)>& make, Timeout timeout);

}  // namespace core

/// Returns the bytes of `from` as elements, as they are when everything submitted to `queue` before is done. Blocks
/// until then, or until `timeout`. The dtype must be T's. The host memory is owned until the device has written it,
/// also after a timeout.
template <Element T>
  requires(!std::same_as<T, bool>)
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const BufferView& from, Timeout timeout = {}) {
  std::shared_ptr<std::vector<T>> values;
  const auto make = [&values](std::uint64_t bytes) -> core::HostMemory {
    values = std::make_shared<std::vector<T>>(bytes / sizeof(T));
    return {values, std::as_writable_bytes(std::span(*values))};
  };
  if (from.dtype() != dtype_of<T>())
    PINTLE_TRY(queue.submit(CommandList{}.download(std::span<T>(), from)));  // answers the list's refusal
  PINTLE_TRY(core::read_elements(queue, from, std::cref(make), timeout));
  return std::move(*values);
}

}  // namespace pintle
