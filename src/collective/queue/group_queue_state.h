// What stands behind a GroupQueue: operations in order, and the thread that runs them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "collective/group/group_state.h"
#include "collective/queue/group_queue_task.h"
#include "collective/queue/staging.h"
#include "pintle/buffer.h"
#include "pintle/device.h"
#include "pintle/error.h"
#include "pintle/group.h"
#include "pintle/queue.h"
#include "pintle/signal.h"

namespace pintle::collective {

/// What a queue is made of.
struct GroupQueueParts {
  Group group;  ///< The same rank's place as `state`.
  std::shared_ptr<GroupState> state;
  std::unique_ptr<Staging> staging;
  Queue holds;   ///< Its submissions keep memory that is used in place until its operation has ended.
  Signal gates;  ///< Lets those submissions run; rises to the number of each operation that has one.
  Signal timeline;
  Signal stop;
  std::string text;
};

class GroupQueueState {
 public:
  /// Starts the thread.
  explicit GroupQueueState(GroupQueueParts parts);
  /// Returns when the thread has the group for itself, or says why it cannot.
  [[nodiscard]] Result<void> start();
  GroupQueueState(const GroupQueueState&) = delete;
  GroupQueueState& operator=(const GroupQueueState&) = delete;
  /// Ends the thread: cancels operations that have not begun.
  ~GroupQueueState();

  Result<Point> enqueue(const Collective& operation, SubmitOptions options);
  /// Like `enqueue`, with errors that do not yet say what was being done.
  Result<Point> accept(const Collective& operation, SubmitOptions options);
  [[nodiscard]] Point last() const noexcept { return its_.timeline.at(last_); }
  [[nodiscard]] const std::string& text() const noexcept { return its_.text; }

 private:
  Result<void> prepare(Task& task, const Collective& operation, SubmitOptions options, std::uint64_t number);
  Result<void> check_device(const Operand& operand, Access access) const;
  Result<void> hold(Task& task, std::uint64_t number);

  [[nodiscard]] bool take_group();
  void serve();
  /// The next operation; nothing when the queue ends.
  [[nodiscard]] std::optional<Task> next();
  Result<void> perform(const Task& task);
  Result<void> run(const Task& task, Deadline deadline);
  Result<void> await(const Task& task, Deadline deadline);
  Result<void> finish(const Task& task, bool has_signalled, Deadline deadline);
  void fail(const Task& task, const Error& error);
  [[nodiscard]] Error given_up(const Task& task, const Error& error) const;
  [[nodiscard]] Error cancelled(const Task& task) const;

  GroupQueueParts its_;
  std::uint64_t last_ = 0;  // of the user's thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Error> failure_;
  std::list<Task> tasks_;  // nodes are made before anything that cannot be taken back
  bool is_stopping_ = false;
  std::optional<Result<void>> started_;
  std::optional<GroupState::Use> use_;  // of the thread
  std::thread thread_;                  // last: it uses everything above
};

}  // namespace pintle::collective
