// Collectives on device memory, in a queue: they wait for points, give points, and run beside compute.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pintle/buffer.h"
#include "pintle/collective.h"
#include "pintle/deadline.h"
#include "pintle/dtype.h"
#include "pintle/error.h"
#include "pintle/fwd.h"
#include "pintle/signal.h"
#include "pintle/submit_options.h"

namespace pintle {

namespace collective {
class GroupQueueState;
}  // namespace collective

/// How a group queue is created.
struct GroupQueueOptions {
  std::string label{};  ///< In messages: `[GroupQueue "gradients"]`.
};

/// Runs a group's operations in order on memory of one device, on a thread of its own. The point of an operation is
/// reached when the result is in the device's memory and the memory that was read may be overwritten. The point fails
/// with the error of the operation. Points lie on a timeline of the queue's own: other queues wait for them by
/// `SubmitOptions::after`, and otherwise work beside it. The ranks of a group may have devices of different kinds,
/// since the bytes that travel are the same.
///
/// Every rank enqueues the same operations in the same order, as it would give them to `Group::run`. The queue runs
/// each of them as a series of operations on host memory, of at most `chunk_bytes` for all parts together. So every
/// rank that takes part needs a GroupQueue.
///
/// Errors of `submit`: `invalid_argument`, with nothing enqueued, for a mistake that this rank can see (sizes, dtypes,
/// ranks, memory of another device, memory that overlaps other than as `Collective` says); the first cause, once the
/// queue has failed. Errors of a point: those of the operation (`invalid_argument`, `timeout`, `peer_lost`), of a point
/// that it waits for, or of the device. Every later point then fails with the same cause, the group has failed, and
/// other ranks get `peer_lost` with the reason. The memory that was being written is undefined then.
///
/// Buffers must live until the point. A staged buffer that is destroyed before fails the operation as `stale`. The
/// memory of a buffer that is used in place stays until the point, even if the buffer is destroyed before. `submit`
/// blocks for memory of a pool that is used in place, until the work that used the memory before has finished.
///
/// Move-only; one thread at a time.
class GroupQueue {
 public:
  /// The most bytes that one step moves for all parts together.
  static constexpr std::uint64_t chunk_bytes = 1ull << 20;

  /// Creates a queue, which has the group to itself until it is destroyed or has failed: until then other operations of
  /// the group, and a second queue of it, are `invalid_argument`. The queue takes four times `chunk_bytes` of host
  /// memory, placed on the host by the device where the host can map that. It belongs to the device's incarnation and
  /// fails with it.
  [[nodiscard]] static Result<GroupQueue> create(const Group& group, const Device& device,
                                                 const GroupQueueOptions& options = {});

  GroupQueue() noexcept;
  GroupQueue(GroupQueue&&) noexcept;
  GroupQueue& operator=(GroupQueue&&) noexcept;
  /// Cancels the operations that have not begun or wait for their points (`cancelled`); the group has failed then,
  /// since other ranks wait for them. Blocks while an operation is among the ranks, for as long as its timeout says.
  /// With nothing left to do it does not block, and the group is free again.
  ~GroupQueue();

  /// Enqueues the operation on device memory, and does not wait for it. The operation begins when every point of
  /// `options.after` is reached: the points of the work that makes what it reads, and of the work that still uses what
  /// it overwrites. `options.timeout` counts from the end of the operation before, and bounds the waits for these
  /// points, for the other ranks and for the device. The point of a barrier is reached when every rank has come to it:
  /// there its `options.after` are reached, and everything enqueued before is done.
  Result<Point> submit(const Collective& operation, SubmitOptions options = {});

  /// The point of the operation that was enqueued last; reached on a fresh queue. Empty for a moved-from queue.
  [[nodiscard]] Point last() const noexcept;
  /// Its name in messages: `[GroupQueue "gradients"] of [Group 3]`.
  [[nodiscard]] std::string text() const noexcept;

 private:
  std::unique_ptr<collective::GroupQueueState> state_;
};

}  // namespace pintle
