// The thread of a heap that runs what waits for points, in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/signal.h"
#include "pintle/submit_options.h"

namespace pintle::collective {

/// Runs one job after the other, each when its points are reached. Thread-safe. Once a job has failed, the jobs behind
/// it fail, too, until `take_failure`. The thread starts with the first job.
class HeapWorker {
 public:
  explicit HeapWorker(std::string heap) : heap_(std::move(heap)) {}
  HeapWorker(const HeapWorker&) = delete;
  HeapWorker& operator=(const HeapWorker&) = delete;
  /// A job that has not begun is `cancelled`; blocks while a job runs.
  ~HeapWorker();

  /// The point is reached when `run` has succeeded. `options.timeout` is for the points that the job comes after.
  [[nodiscard]] Result<Point> add(SubmitOptions options, std::function<Result<void>()> run);
  /// Blocks until every job has ended, whether it succeeds or fails.
  Result<void> settle(Deadline deadline);
  /// The failure with which jobs behind a failed one fail.
  [[nodiscard]] Result<void> failure() const;
  /// Returns `failure` and forgets it. The worker has settled before.
  Result<void> take_failure();

 private:
  struct Job {
    std::vector<Point> after;
    std::vector<Point> signal;
    std::string label;
    Deadline deadline;
    std::function<Result<void>()> run;
    Signal timeline;
    std::uint64_t value;
  };

  Result<void> begin();
  void work();
  void end(Job& job, const Result<void>& outcome);
  [[nodiscard]] Result<void> run(Job& job);
  [[nodiscard]] Result<void> await(const Job& job) const;
  [[nodiscard]] bool is_stopping() const;
  [[nodiscard]] std::string text_of(const Job& job) const;

  const std::string heap_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool is_busy_ = false;
  bool is_stopping_ = false;
  std::optional<Signal> timeline_;  // of what is added now
  std::uint64_t added_ = 0;         // to that timeline
  std::optional<Error> failure_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace pintle::collective
