#include "kit/losable.h"

#include <algorithm>
#include <vector>

#include "base/contain.h"
#include "base/log.h"

namespace pintle::kit {
namespace {

using namespace std::chrono_literals;
using backend::QueueId;
using backend::RecordingId;

constexpr Duration glance = 5ms;   // how often a blocked wait looks for a loss
constexpr Duration patience = 2s;  // how long a loss waits for work that is running

}  // namespace

Losable::~Losable() {
  if (teller_.get_id() == std::this_thread::get_id()) teller_.detach();
  if (teller_.joinable()) teller_.join();
  inner_.reset();  // it has pointers into the lists and the notifications
}

Result<void> Losable::before(Call) { return loss_.check(); }

void Losable::destroy_queue(QueueId queue) noexcept {
  Forwarding::destroy_queue(queue);
  std::lock_guard lock(mutex_);
  lines_.erase(queue);
}

Result<std::uint64_t> Losable::submit(QueueId queue, std::span<const backend::QueuePoint> waits,
                                      const backend::Commands& commands) {
  return base::contain("submitting through a layer", [&]() -> Result<std::uint64_t> {
    StoppableList list(commands, is_losing_);
    PINTLE_ASSIGN(serial, Forwarding::submit(queue, waits, list.view()));
    std::lock_guard lock(mutex_);
    lines_[queue].last = serial;
    lines_[queue].unfinished.emplace_back(serial, std::move(list));
    if (!loss_.is_lost()) return serial;
    settle();  // the loss came during the submission
    return loss_.check().error();
  });
}

Result<std::uint64_t> Losable::reached(QueueId queue) {
  auto serial = Forwarding::reached(queue);
  if (!serial) return serial;
  prune(queue, *serial);
  PINTLE_TRY(loss_.check());  // the device reaches skipped work while it is being lost; `prune` has waited for the end
  return serial;
}

Result<void> Losable::wait(QueueId queue, std::uint64_t serial, Deadline deadline) {
  return base::contain("waiting through a layer", [&]() -> Result<void> {
    PINTLE_TRY(before(Call::wait));
    for (;;) {
      const Deadline next = std::min(deadline, deadline_after(Clock::now(), glance));
      auto waited = inner_->wait(queue, serial, next);
      if (waited) prune(queue, serial);  // first: it waits for the end of a loss, which skips work
      PINTLE_TRY(Losable::before(Call::wait));
      const bool is_over = waited || waited.error().code() != Errc::timeout || next == deadline || Clock::now() < next;
      if (is_over) return waited;
    }
  });
}

Result<void> Losable::notify(QueueId queue, std::uint64_t serial, backend::Notification notification) {
  return base::contain("asking for a notification through a layer", [&]() -> Result<void> {
    PINTLE_TRY(before(Call::notify));
    const auto wrapped = notifications_.wrap(notification);
    auto accepted = inner_->notify(queue, serial, wrapped);
    const bool is_told = !accepted && !notifications_.withdraw(wrapped);  // a loss has told it meanwhile
    return is_told ? Result<void>() : accepted;
  });
}

Result<RecordingId> Losable::record(const backend::Commands& commands) {
  return base::contain("recording through a layer", [&]() -> Result<RecordingId> {
    StoppableList list(commands, is_losing_);
    PINTLE_ASSIGN(recording, Forwarding::record(list.view()));
    std::lock_guard lock(mutex_);
    recordings_.insert_or_assign(recording, std::move(list));
    return recording;
  });
}

void Losable::forget(RecordingId recording) noexcept {
  Forwarding::forget(recording);
  std::lock_guard lock(mutex_);
  if (!loss_.is_lost()) recordings_.erase(recording);  // a lost device may still read its recordings
}

// The caller may hold locks of core's, so a thread of its own tells the notifications.
Error Losable::lose(const Error& error) {
  std::lock_guard lock(mutex_);
  if (const auto lost = loss_.check(); !lost) return lost.error();
  is_losing_ = true;
  auto pending = notifications_.take_all();
  settle();
  Error cause = loss_.lose(error);
  teller_ = std::thread([pending = std::move(pending)] {
    for (const backend::Notification& notification : pending) notification.call(notification.state);
  });
  return cause;
}

// A host call that waits for a lock of the caller would never end, so the wait is limited.
void Losable::settle() {
  const Deadline deadline = deadline_after(Clock::now(), patience);
  for (const auto& [queue, line] : lines_) {
    if (inner_->wait(queue, line.last, deadline)) continue;
    base::log(LogLevel::warn, "faulty", "[{}] is lost while work of queue ({}) still runs.", info_.id,
              static_cast<std::uint64_t>(queue));
  }
}

void Losable::prune(QueueId queue, std::uint64_t reached) {
  std::lock_guard lock(mutex_);
  const auto line = lines_.find(queue);
  if (line == lines_.end()) return;
  auto& unfinished = line->second.unfinished;
  while (!unfinished.empty() && unfinished.front().first <= reached) unfinished.pop_front();
}

}  // namespace pintle::kit
