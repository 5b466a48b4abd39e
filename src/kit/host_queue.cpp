#include "kit/host_queue.h"

#include <algorithm>

#include "base/contain.h"

namespace pintle::kit {

using backend::QueuePoint;

namespace {

// A worker has read every place of the ring the last time round; this many submissions are enough to get one back.
constexpr std::uint64_t lines_ahead = 8;

}  // namespace

Result<std::unique_ptr<HostQueue>> HostQueue::create(Executor& executor, HostPool* pool, std::uint64_t first_serial) {
  return base::contain("creating a queue", [&]() -> Result<std::unique_ptr<HostQueue>> {
    return std::unique_ptr<HostQueue>(new HostQueue(executor, pool, first_serial));
  });
}

HostQueue::HostQueue(Executor& executor, HostPool* pool, std::uint64_t first_serial)
    : executor_(executor),
      pool_(pool),
      first_serial_(first_serial),
      ring_(std::make_unique<Work[]>(capacity)),
      submitted_(first_serial),
      finished_(first_serial),
      timeline_(first_serial) {
  for (std::uint32_t index = 0; index < capacity; ++index) {
    ring_[index].serial.store(first_serial, std::memory_order_relaxed);  // no serial that this queue will ever use
  }
}

Result<std::uint64_t> HostQueue::submit(std::span<const QueuePoint> waits, const backend::Commands& commands) {
  const std::uint64_t serial = submitted_ + 1;
  Work& work = slot(serial);
  work.commands = commands;
  work.wait_count = 0;
  if (!waits.empty()) PINTLE_TRY(keep_waits(work, waits));
  submitted_ = serial;
  work.serial.store(serial, std::memory_order_release);
  base::prefetch_for_writing(&slot(serial + lines_ahead));
  if (pool_ != nullptr && (state_.exchange(owned | pending) & owned) == 0) pool_->make_ready(*this);
  return serial;
}

Result<void> HostQueue::keep_waits(Work& work, std::span<const QueuePoint> waits) {
  work.next_wait = 0;
  work.more_waits.clear();
  if (waits.size() > inline_waits) {
    PINTLE_TRY(base::contain("submitting", [&]() -> Result<void> {
      work.more_waits.reserve(waits.size() - inline_waits);
      return {};
    }));
  }
  for (const QueuePoint& point : waits) {
    if (point.queue == id() || of(point.queue).timeline_.is_settled(point.serial)) continue;
    if (work.wait_count < inline_waits) {
      work.waits[work.wait_count] = point;
    } else {
      work.more_waits.push_back(point);
    }
    ++work.wait_count;
    of(point.queue).references_.fetch_add(1, std::memory_order_relaxed);
  }
  return {};
}

Result<void> HostQueue::wait(std::uint64_t serial, Deadline deadline) {
  if (timeline_.is_reached(serial)) return {};
  if (pool_ != nullptr) pool_->visit(this, deadline, [&] { return timeline_.is_settled(serial); });
  return timeline_.wait(serial, deadline);
}

bool HostQueue::release() noexcept {
  std::uint32_t state = owned;
  if (state_.compare_exchange_strong(state, 0)) return true;
  state_.exchange(owned);
  return false;
}

void HostQueue::run(HostPool::Worker& worker) noexcept {
  constexpr std::uint32_t patience = 4;
  do {
    do {
      const std::uint64_t before = finished_;
      if (!run_all(worker)) return;
      if (finished_ - before > 1) worker.let_submit();
    } while (worker.linger(patience, [this] { return has_work(); }));
  } while (!release());
}

/// False when the queue now belongs to another.
bool HostQueue::run_all(HostPool::Worker& worker) noexcept {
  while (has_work()) {
    Work& work = slot(finished_ + 1);
    if (!wait_or_park(work)) return false;
    executor_.execute(*this, work.commands, &worker);
    if (worker.is_stopping()) return false;  // it may have left in the middle: nothing is finished any more
    timeline_.advance(++finished_);
    worker.was_busy();
    if (worker.should_yield() && has_work()) {
      worker.pool().make_ready(*this);
      return false;
    }
  }
  return true;
}

/// False when the queue has been left to a notification; it may be running elsewhere already.
bool HostQueue::wait_or_park(Work& work) noexcept {
  for (; work.next_wait < work.wait_count; ++work.next_wait) {
    const QueuePoint& point = wait_of(work, work.next_wait);
    watch_.serial = point.serial;
    watch_.notification = {[](void* state) {
                             auto& queue = *static_cast<HostQueue*>(state);
                             queue.pool_->make_ready(queue);
                           },
                           this};
    if (of(point.queue).timeline_.try_watch(watch_)) return false;
    of(point.queue).references_.fetch_sub(1, std::memory_order_release);
  }
  return true;
}

bool HostQueue::run_next() noexcept {
  if (!has_work()) return false;
  Work& work = slot(finished_ + 1);
  for (; work.next_wait < work.wait_count; ++work.next_wait) {
    const QueuePoint& point = wait_of(work, work.next_wait);
    if (!of(point.queue).timeline_.is_settled(point.serial)) return false;
    of(point.queue).references_.fetch_sub(1, std::memory_order_release);
  }
  executor_.execute(*this, work.commands, nullptr);
  timeline_.advance(++finished_);
  return true;
}

}  // namespace pintle::kit
