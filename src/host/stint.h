// The work that a thread that waits may run itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/coarse_clock.h"
#include "host/team.h"
#include "pintle/deadline.h"

namespace pintle::host {

/// A C function cannot be stopped, and it does not know whose stack it is on. So a thread that waits runs pieces of
/// kernels only where half of a usual thread's stack is free, and also the bytes that the pieces need. It runs only
/// pieces whose cost has been measured and should be a small part of the remaining time. A Guest is made on the stack
/// of that thread.
class Guest {
 public:
  explicit Guest(Deadline deadline) noexcept;

  /// Whether the thread may join a loop whose pieces should take `piece` nanoseconds each, and need `stack` bytes of
  /// scratch memory. Infinite: the cost is not known, and the thread may join only where its wait has no end.
  [[nodiscard]] bool may_join(float piece, std::uint32_t stack) const noexcept;
  [[nodiscard]] bool has_stack(std::uint32_t bytes) const noexcept { return bytes <= spare_stack_; }
  [[nodiscard]] Deadline deadline() const noexcept { return deadline_; }

 private:
  const Deadline deadline_;
  std::int64_t spare_stack_;
};

/// The time for which a thread that waits owns the queue and runs short work.
class Stint {
 public:
  /// `lesson`: the first launch is timed, however short it is.
  enum class Kind : std::uint8_t { usual, lesson };
  Stint(const Guest& guest, Kind kind) noexcept;

  /// Whether work that should take this long may begin. It is counted then.
  [[nodiscard]] bool may_begin(float nanoseconds) noexcept {
    if (!(nanoseconds <= left_)) return false;
    left_ -= nanoseconds + overhead;
    return true;
  }
  /// Runs the groups [done, count) of a launch and counts them in `done`. False where it stops before the end or does
  /// not begin: the launch is too long, its cost is unknown, or it takes longer than expected.
  template <class Body>
  [[nodiscard]] bool run(std::uint64_t& done, std::uint64_t count, LoopCost& cost, std::uint32_t stack,
                         const Body& body);

  /// Whether all work was over in a moment: the next may be left for a thread that waits again.
  [[nodiscard]] bool was_short() const noexcept { return most_ - left_ <= short_work; }
  /// Whether work that a worker ran is as short as that.
  [[nodiscard]] static bool is_short(float nanoseconds) noexcept { return nanoseconds <= short_work; }

  /// A launch of several groups that takes longer goes to a worker, which shares it.
  static constexpr float worth_sharing = 3000;

 private:
  static constexpr float longest = 100'000;  // nanoseconds
  static constexpr float short_work = 10'000;
  static constexpr float overhead = 10;
  static constexpr float worth_timing = 500;
  /// A look at the coarse clock is cheap beside this. What was measured includes two looks at the exact clock.
  static constexpr float worth_a_look = 60;
  static constexpr std::uint64_t groups_blind = 8;

  /// Whether the stint has not yet taken longer than planned.
  [[nodiscard]] bool goes_on() noexcept;

  const Guest& guest_;
  /// Whether the stint goes on after `groups` more. A look at the clock takes longer than some cheap groups.
  [[nodiscard]] bool goes_on_after(std::uint64_t groups, float each) noexcept {
    blind_ += groups;
    if (each < worth_a_look && blind_ < groups_blind) return true;
    blind_ = 0;
    return goes_on();
  }
  /// Runs work that is not very short, or whose cost is to be learnt.
  template <class Body>
  [[nodiscard]] bool run_timed(std::uint64_t& done, std::uint64_t count, LoopCost& cost, const Body& body);

  Deadline begin_;
  Duration limit_{};
  float most_ = 0;
  float left_ = 0;
  bool is_exact_ = false;
  bool is_lesson_;
  std::uint64_t blind_ = 0;
};

template <class Body>
bool Stint::run(std::uint64_t& done, std::uint64_t count, LoopCost& cost, std::uint32_t stack, const Body& body) {
  const float each = cost.of(1);
  const float whole = count == 1 ? each : each * static_cast<float>(count - done);
  if (!guest_.has_stack(stack) || (count > 1 && !(whole <= worth_sharing)) || !may_begin(whole)) return false;
  if (is_lesson_ || whole >= worth_timing) return run_timed(done, count, cost, body);
  if (count == 1 && each < worth_a_look && ++blind_ < groups_blind) {
    body(0, done = 1);
    return true;
  }
  while (done < count) {
    const std::uint64_t first = done;
    done = std::min(done + (each < worth_a_look ? groups_blind : 1), count);
    body(first, done);
    if (goes_on_after(done - first, each)) continue;
    cost.learn(base::coarse_now() - begin_, done - first);
    left_ = -1;
    break;
  }
  return done == count;
}

template <class Body>
bool Stint::run_timed(std::uint64_t& done, std::uint64_t count, LoopCost& cost, const Body& body) {
  is_lesson_ = false;
  const std::uint64_t first = done;
  const std::uint64_t at_once = cost.of(1) < worth_a_look ? groups_blind : 1;
  const Deadline begin = Clock::now();
  bool is_good = true;
  while (done < count && is_good) {
    const std::uint64_t next = std::min(done + at_once, count);
    body(done, next);
    done = next;
    is_good = goes_on();
  }
  cost.learn(Clock::now() - begin, done - first);
  if (!is_good) left_ = -1;
  return done == count;
}

}  // namespace pintle::host
