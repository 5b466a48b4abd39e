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

struct QueueOptions {
  QueueKind kind = QueueKind::compute;
  std::string label{};
};

/// Runs lists in order, each after the one before. Its points lie on its own timeline, which rises by one per
/// submission. Once a submission fails after it was accepted, the queue has failed: later submissions get the first
/// cause, since they would compute on undefined bytes; make a new queue. Destroying a queue never blocks, and its work
/// goes on. Move-only; one thread at a time.
class Queue {
 public:
  Queue() noexcept = default;
  Queue(Queue&&) noexcept = default;
  Queue& operator=(Queue&&) noexcept = default;

  /// Checks everything, then starts the list after `options.after`. An error means that nothing was started or
  /// signalled. Blocks only when the queue is full, until there is room or `options.timeout`.
  Result<Point> submit(CommandList list, SubmitOptions options = {});
  /// Replays a recording; `bindings[i]` fills slot i. A stale or wrong binding is refused before anything runs.
  Result<Point> replay(const Recording& recording, std::span<const SlotValue> bindings, SubmitOptions options);
  Result<Point> replay(const Recording& recording, std::initializer_list<SlotValue> bindings = {}) {
    return replay(recording, std::span(bindings.begin(), bindings.size()));
  }
  Result<Point> replay(const Recording& recording, std::span<const SlotValue> bindings);
  /// Submits and waits for the point. `timeout` bounds the waiting; the work goes on after it.
  Result<void> submit_and_wait(CommandList list, Timeout timeout = {});

  /// A buffer from `resource` (a `Pool`) for work that this queue gets from now on; other queues wait for `last()`
  /// first. Its contents are undefined unless the resource says otherwise. Where `resource` is a pool that does not
  /// scrub, any thread may call this.
  [[nodiscard]] Result<Buffer> allocate(const Resource& resource, DType dtype, const Shape& shape,
                                        const BufferOptions& options = {});
  /// Gives a buffer back. Its memory is free for work that comes after what this queue has got so far, and after every
  /// submission that names the buffer. Destroying the buffer instead means the latter alone. Never blocks.
  Result<void> free(Buffer buffer);
  /// A buffer with the bytes that `buffer` has after everything submitted to this queue so far. The bytes are copied
  /// only when one of the two is written: before the list that writes, in the same submission, or at once where that
  /// list is held. In two cases the copy is a submission of this queue now: the buffer is not sealed and its place is
  /// known outside (it is recorded, mapped, lent, wrapped, or asked for by `native`), or a write of it is held or is
  /// another queue's and unfinished. `out_of_memory` may come with the writing.
  [[nodiscard]] Result<Buffer> fork(const Buffer& buffer, std::string label = {});
  /// Ends the sharing now, by a submission. At its point the buffer has bytes of its own.
  Result<Point> unshare(const Buffer& buffer);

  /// What a list that uses `view` so would be refused for: another device, a destroyed or sealed buffer, a queue that
  /// takes nothing more. Nothing is submitted.
  Result<void> check(const BufferView& view, Access access) const;

  /// The point of what was submitted last; reached on a fresh queue. Empty for a moved-from queue.
  [[nodiscard]] Point last() const noexcept;
  /// As it appears in messages: `[Queue 2 "copy"]`.
  [[nodiscard]] std::string text() const noexcept;

  /// Backend-specific access: `queue.native<opencl::OpenClQueue>()`. `unsupported` on another backend.
  template <class T>
  [[nodiscard]] Result<T> native() const {
    T out;
    PINTLE_TRY(fill_native(T::native_type, &out));
    return out;
  }

  /// Begins a submission that starts when the point is reached; does not block:
  /// `queue.after(ready.at(1)).exec(kernel, grid, a, b).signal(done.at(2)).submit()`.
  [[nodiscard]] Submission after(Point point) noexcept;
  [[nodiscard]] Submission begin() noexcept;

 private:
  friend class Inside;
  explicit Queue(std::shared_ptr<core::QueueState> state) noexcept : state_(std::move(state)) {}
  Result<void> fill_native(std::string_view type, void* out) const;
  Result<void> check_own(const Buffer& buffer) const;
  Result<Point> start(CommandList&& list, SubmitOptions* options);
  Result<Point> start(const Recording& recording, std::span<const SlotValue> bindings, SubmitOptions* options);

  std::shared_ptr<core::QueueState> state_;
};

/// A submission under construction. `after` and `signal` concern the submission as a whole, wherever they stand in the
/// chain. What runs out of memory on the way is said by `submit`.
class Submission {
 public:
  Submission&& after(Point point) noexcept;
  Submission&& signal(Point point) noexcept;
  Submission&& copy(const BufferArgument& to, const BufferArgument& from);
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
  Submission&& barrier();
  Submission&& label(std::string_view text);
  /// The list so far, for the commands that have no short form here.
  [[nodiscard]] CommandList& list() noexcept { return list_; }

  /// As `Queue::submit`.
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

/// Host memory for what is read, kept by its owner until the device has written it.
struct HostMemory {
  std::shared_ptr<void> owner;
  std::span<std::byte> bytes;
};

/// `make` gives the memory of as many bytes; it may run out of it.
Result<void> read_elements(Queue& queue, const BufferView& from,
                           const std::function<HostMemory(std::uint64_t bytes)>& make, Timeout timeout);

}  // namespace core

/// The bytes of `from` as elements, when everything submitted to `queue` before is done. The dtype must match. The
/// memory is owned until the device has written it, also past a timeout.
template <Element T>
  requires(!std::same_as<T, bool>)
[[nodiscard]] Result<std::vector<T>> read(Queue& queue, const BufferView& from, Timeout timeout = {}) {
  std::shared_ptr<std::vector<T>> values;
  const auto make = [&values](std::uint64_t bytes) -> core::HostMemory {
    values = std::make_shared<std::vector<T>>(bytes / sizeof(T));
    return {values, std::as_writable_bytes(std::span(*values))};
  };
  if (from.dtype() != dtype_of<T>())
    PINTLE_TRY(queue.submit(CommandList{}.download(std::span<T>(), from)));  // the refusal's words
  PINTLE_TRY(core::read_elements(queue, from, std::cref(make), timeout));
  return std::move(*values);
}

}  // namespace pintle
