#include "backends/null/queue.h"

#include <algorithm>

namespace pintle::null {

using backend::HostCall;

backend::QueueId QueueTable::create(const backend::QueueRequest& request) {
  std::lock_guard lock(mutex_);
  const auto id = backend::QueueId{last_id_ + 1};
  queues_[id] = {.submitted = request.first_serial, .reached = request.first_serial, .pending = {}};
  ++last_id_;
  return id;
}

void QueueTable::destroy(backend::QueueId queue) noexcept {
  std::lock_guard lock(mutex_);
  queues_.erase(queue);
}

std::uint64_t QueueTable::submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                                 const backend::Commands& commands) {
  Submission submission{{waits.begin(), waits.end()}, {}};
  for (const backend::Command& command : commands.commands) {
    // All other commands move or compute bytes, and there are none.
    if (const auto* call = std::get_if<HostCall>(&command.operation)) submission.calls.push_back(*call);
  }
  std::lock_guard lock(mutex_);
  Queue& target = queues_.at(queue);
  busy_.insert(queue);
  target.pending.push_back(std::move(submission));
  return ++target.submitted;
}

std::uint64_t QueueTable::reached(backend::QueueId queue) {
  std::unique_lock lock(mutex_);
  advance(lock);
  return queues_.at(queue).reached;
}

bool QueueTable::wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) {
  std::unique_lock lock(mutex_);
  const Queue& target = queues_.at(queue);
  for (;;) {
    advance(lock);
    if (target.reached >= serial) return true;
    if (!is_running()) return false;
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) return target.reached >= serial;
  }
}

// Runs without the lock what is due, until nothing is due.
void QueueTable::advance(std::unique_lock<std::mutex>& lock) {
  while (const auto id = next_due()) {
    Queue& queue = queues_.at(*id);
    queue.running = true;
    const Submission submission = std::move(queue.pending.front());
    queue.pending.pop_front();
    lock.unlock();
    for (const HostCall& call : submission.calls) call.call(call.state);
    lock.lock();
    queue.running = false;
    if (queue.pending.empty()) busy_.erase(*id);
    ++queue.reached;
    changed_.notify_all();
  }
}

std::optional<backend::QueueId> QueueTable::next_due() {
  for (const backend::QueueId id : busy_) {
    if (is_due(queues_.at(id))) return id;
  }
  return std::nullopt;
}

bool QueueTable::is_due(const Queue& queue) const {
  if (queue.running || queue.pending.empty()) return false;
  return std::ranges::all_of(queue.pending.front().waits, [&](const backend::QueuePoint& point) {
    const auto found = queues_.find(point.queue);
    return found == queues_.end() ||
           found->second.reached >= point.serial;  // a queue that is gone had reached everything
  });
}

bool QueueTable::is_running() const {
  return std::ranges::any_of(busy_, [&](backend::QueueId id) { return queues_.at(id).running; });
}

}  // namespace pintle::null
