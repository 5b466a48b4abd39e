// Collectives on device memory, enqueued: they take waits, give points, and run beside compute.
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

struct GroupQueueOptions {
  std::string label{};  ///< In messages: `[GroupQueue "gradients"]`.
};

/// Runs a group's operations in order on memory of one device, on a thread of its own. The point of an operation
/// is reached when the result is in the device's memory and what was read may be overwritten, and fails with what the
/// operation failed with. Points lie on a timeline of the queue's own, so other queues wait for them by
/// `SubmitOptions::after`, and work beside it. Ranks of one group may have devices of different kinds, or none: what
/// travels is the same.
///
/// Every rank enqueues the same operations in the same order, as it would give them to `Group::run`; each of them is a
/// series of operations on host memory, of at most `chunk_bytes` for all parts together. Only ranks that use a
/// GroupQueue may take part.
///
/// Errors at the call: `invalid_argument` for what can be seen (sizes, dtypes, ranks, memory of another device, windows
/// that overlap other than as `Collective` says), with nothing enqueued; the first cause, once the queue has failed.
/// Errors of a point: the operation's (`invalid_argument`, `timeout`, `peer_lost`), that of a point waited for, or the
/// device's; then every later point fails with the same cause, the group has failed, and other ranks get `peer_lost`
/// with the reason. What was being written is undefined then.
///
/// Buffers live until the point. One that is destroyed before is never used after its memory is gone: it fails the
/// operation as `stale` where it is staged, and its memory stays until the point where it is used in place. Enqueuing
/// memory of a pool in place waits for the work that used it before.
///
/// Move-only; one thread at a time.
class GroupQueue {
 public:
  /// The most bytes that one step moves for all parts together.
  static constexpr std::uint64_t chunk_bytes = 1ull << 20;

  /// From here until the queue is destroyed or has failed the group is its own: other operations of the group, and a
  /// second queue of it, are `invalid_argument`. Takes four times `chunk_bytes` of memory on the host, in the device's
  /// own placement where it can be mapped. The queue belongs to the device's incarnation and fails with it.
  [[nodiscard]] static Result<GroupQueue> create(const Group& group, const Device& device,
                                                 const GroupQueueOptions& options = {});

  GroupQueue() noexcept;
  GroupQueue(GroupQueue&&) noexcept;
  GroupQueue& operator=(GroupQueue&&) noexcept;
  /// What has not begun, or waits for its points, is `cancelled`; the group has failed then, since other ranks wait for
  /// it. What is among the ranks is waited for, as long as its timeout says. With nothing left to do it does not block,
  /// and the group is free again.
  ~GroupQueue();

  /// Enqueues the operation on device memory; returns at once. `options.after` orders what the operation reads and
  /// overwrites. `options.timeout` counts from the moment when the operation before it has ended: for these points, for
  /// the other ranks, for the device. A barrier is reached when every rank has come to it: what it comes after is
  /// reached, and everything enqueued before is done.
  Result<Point> submit(const Collective& operation, SubmitOptions options = {});

  /// The point of what was enqueued last; reached on a fresh queue. Empty for a moved-from queue.
  [[nodiscard]] Point last() const noexcept;
  /// `[GroupQueue "gradients"] of [Group 3]`.
  [[nodiscard]] std::string text() const noexcept;

 private:
  std::unique_ptr<collective::GroupQueueState> state_;
};

}  // namespace pintle
