#include "collective/queue/group_queue_state.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/contain.h"
#include "base/fork.h"
#include "base/timeout.h"
#include "collective/queue/group_queue_run.h"
#include "pintle/commands.h"

namespace pintle::collective {
namespace {

void fail_signals(const std::list<Task>& tasks, const Error& cause) {
  for (const Task& task : tasks)
    for (const Point& point : task.signal) static_cast<void>(point.signal().fail(cause));
}

}  // namespace

GroupQueueState::GroupQueueState(GroupQueueParts parts) : its_(std::move(parts)), thread_([this] { serve(); }) {}

GroupQueueState::~GroupQueueState() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  static_cast<void>(its_.stop.set(1));
  thread_.join();
}

Result<void> GroupQueueState::start() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return started_.has_value(); });
  return *started_;
}

Result<Point> GroupQueueState::enqueue(const Collective& operation, SubmitOptions options) {
  if (base::in_forked_child()) return base::forked_error();
  return base::contain("enqueuing a collective", [&]() -> Result<Point> {
    if (const auto failure = its_.timeline.failure())
      return failure->during(
          fmt::format("enqueuing {} to {}, which has failed", pintle::name(operation.kind), its_.text));
    const auto enqueued = accept(operation, std::move(options));
    if (enqueued) return enqueued;
    return enqueued.error().during(fmt::format("enqueuing {} to {}", pintle::name(operation.kind), its_.text));
  });
}

Result<Point> GroupQueueState::accept(const Collective& operation, SubmitOptions options) {
  return base::contain("enqueuing a collective", [&]() -> Result<Point> {
    const std::uint64_t number = last_ + 1;
    std::list<Task> one(1);
    if (const auto prepared = prepare(one.front(), operation, std::move(options), number); !prepared) {
      if (its_.staging->health(its_.holds)) return prepared.error();
      // The device is lost: the thread finds that, too, and fails the queue and the group.
      one.front() = Task{};
      one.front().call = {.number = number, .operation = operation_of(operation.kind)};
    }
    std::optional<Error> failure;
    {
      const std::lock_guard lock(mutex_);
      failure = failure_;
      if (!failure) tasks_.splice(tasks_.end(), one);
    }
    if (failure) fail_signals(one, *failure);
    changed_.notify_one();
    last_ = number;
    return its_.timeline.at(number);
  });
}

Result<void> GroupQueueState::prepare(Task& task, const Collective& operation, SubmitOptions options,
                                      std::uint64_t number) {
  PINTLE_ASSIGN(made, Task::create(operation, std::move(options), its_.group.rank(), its_.group.ranks()));
  task = std::move(made);
  task.call.number = number;
  PINTLE_TRY(check_device(task.to, Access::write));
  PINTLE_TRY(check_device(task.from, Access::read));
  return hold(task, number);
}

/// Memory has to be such that a list of the queue's device could use it this way.
Result<void> GroupQueueState::check_device(const Operand& operand, Access access) const {
  return operand.size() == 0 ? Result<void>() : its_.holds.check(operand.bytes, access);
}

/// The host works on addresses. So a submission that waits until the host is done keeps the memory, whatever becomes of
/// the buffers. The submission raises the operation's point, so it comes before anyone is told of the operation.
Result<void> GroupQueueState::hold(Task& task, std::uint64_t number) {
  CommandList list;
  bool holds = false;
  for (const Operand* operand : {&task.to, &task.from}) {
    if (operand->mapped.empty()) continue;
    list.holds(operand->bytes);
    holds = true;
  }
  if (!holds) return {};
  PINTLE_TRY(its_.holds.submit(
      std::move(list),
      {.after = {its_.gates.at(number)}, .signal = {its_.timeline.at(number)}, .timeout = task.timeout}));
  task.is_held = true;
  return {};
}

std::optional<Task> GroupQueueState::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_stopping_ || !tasks_.empty(); });
  if (tasks_.empty()) return std::nullopt;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

/// This thread takes the right to use the group, and has it until it ends.
bool GroupQueueState::take_group() {
  auto use = its_.state->use();
  const std::lock_guard lock(mutex_);
  started_ = use ? Result<void>() : Result<void>(use.error());
  if (use) use_.emplace(std::move(*use));
  changed_.notify_one();
  return use_.has_value();
}

void GroupQueueState::serve() {
  if (!take_group()) return;
  while (const auto task = next()) {
    const auto done = base::contain("running a collective", [&] { return perform(*task); });
    if (done) continue;
    return fail(*task, done.error());
  }
  use_.reset();
}

/// A lost device is the cause, whatever error came of it. An operation that waits for other ranks looks at the device,
/// too.
Result<void> GroupQueueState::perform(const Task& task) {
  its_.state->guard([&]() -> Result<void> {
    const auto health = its_.staging->health();
    return health ? health : Result<void>(given_up(task, health.error()));
  });
  const auto done = base::bounded(task.timeout, [&](Deadline deadline) { return run(task, deadline); });
  its_.state->guard({});
  if (done) return done;
  const auto health = its_.staging->health();
  return health ? done : health;
}

/// The device has to be there when the ranks begin, and when a point is raised that the device does not raise itself.
Result<void> GroupQueueState::run(const Task& task, Deadline deadline) {
  PINTLE_TRY(await(task, deadline));
  PINTLE_TRY(its_.staging->health());
  std::vector<Point> at_end;
  if (!task.is_held) at_end.push_back(its_.timeline.at(task.call.number));
  GroupQueueRun run(its_.group, *its_.staging, task, deadline, std::move(at_end));
  PINTLE_TRY(run.run());
  PINTLE_TRY(its_.staging->health());
  return finish(task, run.has_signalled(), deadline);
}

/// Waits until everything that the operation waits for is there, unless the queue ends before.
Result<void> GroupQueueState::await(const Task& task, Deadline deadline) {
  const Point stopped = its_.stop.at(1);
  for (const Point& point : task.after) {
    const auto first = wait_any(std::array{point, stopped}, time_until(deadline));
    if (!first) return first.error().during("waiting for what comes before " + task.text());
    if (*first != 0) return cancelled(task);
  }
  const auto is_stopped = stopped.is_reached();
  return is_stopped && *is_stopped ? Result<void>(cancelled(task)) : Result<void>();
}

Result<void> GroupQueueState::finish(const Task& task, bool has_signalled, Deadline deadline) {
  const std::uint64_t number = task.call.number;
  for (const Point& point : task.signal) PINTLE_TRY(point.signal().set(point.value()));
  if (task.is_held) PINTLE_TRY(its_.gates.set(number));
  else if (!has_signalled) PINTLE_TRY(its_.timeline.set(number));
  return its_.timeline.wait(number, time_until(deadline));
}

Error GroupQueueState::cancelled(const Task& task) const {
  return {Errc::cancelled, fmt::format("{} had not begun when {} was destroyed.", task.text(), its_.text)};
}

/// The other ranks hear of it first, then the threads that wait here. Everything behind it fails with it.
void GroupQueueState::fail(const Task& task, const Error& error) {
  static_cast<void>(base::contain("failing a group", [&]() -> Result<void> {
    its_.state->fail(given_up(task, error));
    return {};
  }));
  const Error cause = error.during("running " + task.text() + " of " + its_.text);
  use_.reset();  // a thread that is told may shrink the group at once
  static_cast<void>(its_.gates.fail(cause));
  static_cast<void>(its_.timeline.fail(cause));
  std::list<Task> behind;
  {
    const std::lock_guard lock(mutex_);
    failure_ = cause;
    behind.swap(tasks_);
  }
  for (const Point& point : task.signal) static_cast<void>(point.signal().fail(cause));
  fail_signals(behind, cause);
}

/// The error as other ranks hear it.
Error GroupQueueState::given_up(const Task& task, const Error& error) const {
  return {Errc::peer_lost,
          fmt::format("Rank ({}) has given up {}: {}", its_.group.rank(), task.text(), error.message())};
}

}  // namespace pintle::collective
