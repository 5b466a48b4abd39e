#include "collective/heap/heap_worker.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/contain.h"
#include "base/quote.h"
#include "base/timeout.h"

namespace pintle::collective {
namespace {

/// How often a wait looks whether the heap is about to end.
constexpr Duration look_every = std::chrono::milliseconds(5);

}  // namespace

HeapWorker::~HeapWorker() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<Point> HeapWorker::add(SubmitOptions options, std::function<Result<void>()> run) {
  return base::contain("queueing a transfer", [&]() -> Result<Point> {
    PINTLE_TRY(base::check(options.timeout));
    const std::lock_guard lock(mutex_);
    if (failure_) return *failure_;
    PINTLE_TRY(begin());
    jobs_.push_back({std::move(options.after), std::move(options.signal), std::move(options.label),
                     options.timeout.deadline(), std::move(run), *timeline_, added_ + 1});
    changed_.notify_all();
    return timeline_->at(++added_);
  });
}

Result<void> HeapWorker::begin() {
  if (!timeline_) {
    PINTLE_ASSIGN(made, Signal::create(0, heap_));
    timeline_ = made;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  return {};
}

Result<void> HeapWorker::settle(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto is_settled = [this] { return jobs_.empty() && !is_busy_; };
  if (deadline == Deadline::max()) {
    changed_.wait(lock, is_settled);  // wait_until would compute with a moment that never comes
  } else if (!changed_.wait_until(lock, deadline, is_settled)) {
    return Error(Errc::timeout,
                 fmt::format("Transfers ({}) of {} have not ended in time.", jobs_.size() + (is_busy_ ? 1 : 0), heap_));
  }
  return {};
}

Result<void> HeapWorker::failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  return {};
}

Result<void> HeapWorker::take_failure() {
  const std::lock_guard lock(mutex_);
  if (!failure_) return {};
  timeline_.reset();
  added_ = 0;
  return *std::exchange(failure_, std::nullopt);
}

void HeapWorker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    is_busy_ = true;
    lock.unlock();
    end(job, run(job));
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

/// Stores the failure before the job's point tells of it.
void HeapWorker::end(Job& job, const Result<void>& outcome) {
  if (outcome) {
    (void)job.timeline.set(job.value);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = outcome.error();
  }
  for (const Point& point : job.signal) (void)point.signal().fail(outcome.error());
  (void)job.timeline.fail(outcome.error());
}

std::string HeapWorker::text_of(const Job& job) const {
  return job.label.empty() ? "A transfer of " + heap_ : fmt::format("Transfer {} of {}", base::quote(job.label), heap_);
}

Result<void> HeapWorker::run(Job& job) {
  PINTLE_TRY(failure());
  PINTLE_TRY(await(job));
  if (is_stopping()) return Error(Errc::cancelled, fmt::format("{} has not begun when it goes.", text_of(job)));
  PINTLE_TRY(base::contain("a transfer", job.run));
  for (const Point& point : job.signal) PINTLE_TRY(point.signal().set(point.value()));
  return {};
}

/// Waits in short steps: a point that is never reached must not keep the heap. Each step drives devices that no other
/// thread drives.
Result<void> HeapWorker::await(const Job& job) const {
  for (const Point& point : job.after) {
    while (!is_stopping()) {
      PINTLE_ASSIGN(is_reached, point.is_reached());
      if (is_reached) break;
      const Deadline now = Clock::now();
      if (now >= job.deadline) {
        return Error(Errc::timeout,
                     fmt::format("{} waits for a point (value {}) past its deadline.", text_of(job), point.value()));
      }
      (void)point.wait(std::min<Duration>(look_every, job.deadline - now));
    }
  }
  return {};
}

bool HeapWorker::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return is_stopping_;
}

}  // namespace pintle::collective
