#include "host/queue.h"

#include <algorithm>

#include "base/contain.h"
#include "base/kernel_environment.h"

namespace pintle::host {

using backend::QueuePoint;

namespace {

// A worker has read every place of the ring in the round before, and its cache line comes back in the time of this many
// submissions.
constexpr std::uint64_t lines_ahead = 8;

}  // namespace

Result<std::unique_ptr<Queue>> Queue::create(Executor& executor, Pool* pool, std::uint64_t first_serial) {
  return base::contain("creating a queue", [&]() -> Result<std::unique_ptr<Queue>> {
    return std::unique_ptr<Queue>(new Queue(executor, pool, first_serial));
  });
}

Queue::Queue(Executor& executor, Pool* pool, std::uint64_t first_serial)
    : executor_(executor),
      pool_(pool),
      ring_(first_serial),
      submitted_(first_serial),
      finished_(first_serial),
      timeline_(first_serial) {}

Result<std::uint64_t> Queue::submit(std::span<const QueuePoint> waits, const backend::Commands& commands) {
  const std::uint64_t serial = submitted_ + 1;
  if (!ring_.has_room(serial)) PINTLE_TRY(make_room(serial));
  Work& work = ring_[serial];
  work.commands = commands;
  work.wait_count = 0;
  work.place = {};
  if (!waits.empty()) PINTLE_TRY(keep_waits(work, waits));
  submitted_ = serial;
  work.serial.store(serial, std::memory_order_release);
  base::prefetch_for_writing(&ring_[serial + lines_ahead]);
  if (pool_ != nullptr) announce();
  return serial;
}

// The timeline is looked at when the room that was known is used up: its line is the owner's.
Result<void> Queue::make_room(std::uint64_t serial) {
  return base::contain("submitting", [&]() -> Result<void> {
    ring_.make_room(serial, timeline_.value());
    return {};
  });
}

void Queue::announce() noexcept {
  const bool is_left = is_left_.load(std::memory_order_relaxed);
  switch (is_left ? claim_.leave() : claim_.hand_over()) {
    case Claim::Submitted::in_hand: return;
    case Claim::Submitted::mine: return pool_->make_ready(*this);
    case Claim::Submitted::unwatched: return pool_->look_after(*this);
  }
}

Result<void> Queue::keep_waits(Work& work, std::span<const QueuePoint> waits) {
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
    if (pool_ != nullptr) of(point.queue).hurry();
  }
  return {};
}

Result<void> Queue::wait(std::uint64_t serial, Deadline deadline) {
  if (timeline_.is_reached(serial)) return {};
  if (pool_ != nullptr) {
    const base::KernelEnvironment usual;  // one launch runs on several threads, and all compute alike
    const Guest guest(deadline);
    if (claim_.take() || pool_->try_recall(*this)) take_turn(serial, guest);
    if (timeline_.is_reached(serial)) return {};
    is_awaited_.store(true, std::memory_order_relaxed);
    pool_->visit(this, guest, [&] { return timeline_.is_settled(serial); });
  }
  return timeline_.wait(serial, deadline);
}

/// Called by a thread that waits and has become the owner.
void Queue::take_turn(std::uint64_t serial, const Guest& guest) noexcept {
  constexpr std::uint64_t lesson = 16;
  Stint stint(guest, finished_ % lesson == 0 ? Stint::Kind::lesson : Stint::Kind::usual);
  for (Work* work = nullptr; finished_ < serial && (work = next_work()) != nullptr;) {
    if (!wait_or_park(*work)) return;
    if (!executor_.execute(work->commands, work->place, stint)) {
      is_left_.store(false, std::memory_order_relaxed);
      return pool_->make_ready(*this);
    }
    timeline_.advance(++finished_);
  }
  if (is_left_.load(std::memory_order_relaxed) != stint.was_short())
    is_left_.store(stint.was_short(), std::memory_order_relaxed);
  // Work behind `serial`, or new work, is not what this thread waits for.
  while (!has_work()) {
    if (claim_.release()) return;
  }
  pool_->make_ready(*this);
}

void Queue::rescue() noexcept {
  if (!claim_.take()) return;
  is_left_.store(false, std::memory_order_relaxed);
  pool_->make_ready(*this);
}

void Queue::run(Pool::Worker& worker) noexcept {
  constexpr std::uint32_t patience = 4;
  do {
    do {
      const std::uint64_t before = finished_;
      if (!run_all(worker)) return;
      if (is_left_.load(std::memory_order_relaxed)) break;
      if (finished_ - before > 1) worker.let_submit();
    } while (worker.linger(patience, [this] { return has_work(); }));
  } while (!claim_.release());
}

/// False when another thread now owns the queue.
bool Queue::run_all(Pool::Worker& worker) noexcept {
  while (Work* const work = next_work()) {
    if (!wait_or_park(*work)) return false;
    const float cost = executor_.execute(*this, work->commands, work->place, &worker);
    if (worker.is_stopping()) return false;  // it may have left in the middle: nothing counts as finished any more
    if (is_awaited_.load(std::memory_order_relaxed)) {
      is_awaited_.store(false, std::memory_order_relaxed);
      is_left_.store(Stint::is_short(cost), std::memory_order_relaxed);
    }
    timeline_.advance(++finished_);
    worker.was_busy();
    worker.look_around();
    if (worker.should_yield() && has_work()) {
      worker.pool().make_ready(*this);
      return false;
    }
  }
  return true;
}

/// False when the queue waits for a notification; another thread may run it already.
bool Queue::wait_or_park(Work& work) noexcept {
  for (; work.next_wait < work.wait_count; ++work.next_wait) {
    const QueuePoint& point = wait_of(work, work.next_wait);
    watch_.serial = point.serial;
    watch_.notification = {[](void* state) {
                             auto& queue = *static_cast<Queue*>(state);
                             queue.pool_->make_ready(queue);
                           },
                           this};
    if (of(point.queue).timeline_.try_watch(watch_)) return false;
    of(point.queue).references_.fetch_sub(1, std::memory_order_release);
  }
  return true;
}

bool Queue::run_next() noexcept {
  Work* const next = next_work();
  if (next == nullptr) return false;
  Work& work = *next;
  for (; work.next_wait < work.wait_count; ++work.next_wait) {
    const QueuePoint& point = wait_of(work, work.next_wait);
    if (!of(point.queue).timeline_.is_settled(point.serial)) return false;
    of(point.queue).references_.fetch_sub(1, std::memory_order_release);
  }
  static_cast<void>(executor_.execute(*this, work.commands, {}, nullptr));
  timeline_.advance(++finished_);
  return true;
}

}  // namespace pintle::host
