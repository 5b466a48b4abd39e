// Pieces of work on their way, and what has failed among them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backends/pjrt/client.h"
#include "kit/event_timeline.h"
#include "kit/loss.h"

namespace pintle::pjrt {

class Line;

/// One piece of a queue's work: it is over when all that it started is.
class Flight : public std::enable_shared_from_this<Flight> {
 public:
  Flight(std::shared_ptr<Line> line, std::optional<std::uint64_t> serial) noexcept
      : line_(std::move(line)), serial_(serial) {}

  /// Lets the flight wait for the end of an execution, too.
  void await(const pj::Table& api, const Owned<pj::Event>& done);
  /// Notes why the piece fails; the first cause stays.
  void fail(const Error& error);
  /// Nothing more is started.
  void seal() { end_one(); }

 private:
  friend class Line;
  friend struct FlightRules;
  struct Awaited;

  void end_one();
  void end() noexcept;

  const std::shared_ptr<Line> line_;
  const std::optional<std::uint64_t> serial_;
  std::atomic<std::uint32_t> awaited_{1};
  std::atomic<bool> is_done_{false};
  std::mutex mutex_;  // of the next two
  std::optional<Error> error_;
  std::vector<kit::EventTold> told_;
};

/// What a queue shares with its flights. A queue that has failed does nothing more, and a failure is told when nothing
/// of the queue runs any more: who is told may free what the work uses. Thread-safe.
///
/// One pair without a lock: a thread sets `is_running_` before it runs and clears it behind that, and each time then
/// looks at `has_failed_`; a flight that fails sets `has_failed_` and then looks at `is_running_`. So at least one of
/// the two sees the other: nothing runs behind a failure that has been told, and one that was put off is told at the
/// end.
class Line {
 public:
  /// `any_failed` is set before a serial of a failed submission can be seen as reached.
  explicit Line(std::shared_ptr<std::atomic<bool>> any_failed) noexcept : any_failed_(std::move(any_failed)) {}

  /// Around what a thread does for the queue. Why nothing is to be done any more, if so.
  [[nodiscard]] std::optional<Error> begin();
  void end();
  /// Why the submission has failed; told once.
  [[nodiscard]] std::optional<Error> take_verdict(std::uint64_t serial);
  /// Whether no flight is on its way.
  [[nodiscard]] bool is_idle() const noexcept { return flights_.load(std::memory_order_acquire) == 0; }

  /// Counts a flight that begins.
  void count_one() noexcept { flights_.fetch_add(1, std::memory_order_relaxed); }

 private:
  friend class Flight;
  void over(const std::shared_ptr<Flight>& flight);
  void settle(const std::shared_ptr<Flight>& flight);

  const std::shared_ptr<std::atomic<bool>> any_failed_;  // the device's
  std::atomic<std::uint32_t> flights_{0};
  std::atomic<bool> is_running_{false};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;  // of the rest
  std::optional<Error> failure_;
  std::vector<std::shared_ptr<Flight>> failed_;  // they are told when nothing runs
  std::map<std::uint64_t, Error> verdicts_;
};

/// Flights as the events of a timeline.
struct FlightRules {
  using Event = std::shared_ptr<Flight>;
  std::shared_ptr<kit::Loss> loss;

  [[nodiscard]] Result<bool> is_done(const Event& event) const {
    return event->is_done_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool tell(const Event& event, kit::EventTold told) const noexcept;
  [[nodiscard]] Error lose(const Error& error) const { return loss->lose(error); }
};

/// A flight of the queue, which `Flight::seal` ends.
[[nodiscard]] std::shared_ptr<Flight> begin_flight(const std::shared_ptr<Line>& line,
                                                   std::optional<std::uint64_t> serial);

}  // namespace pintle::pjrt
