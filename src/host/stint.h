// What a thread that waits may run of the work that it waits for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/coarse_clock.h"
#include "host/team.h"
#include "pintle/deadline.h"

namespace pintle::host {

/// A C function cannot be abandoned, and it does not know whose stack it is on. So a thread that waits runs pieces of
/// kernels only where half of a usual thread's stack is free, and what they need of it besides, and only what has been
/// measured and should take a small part of the time that is left. Made on the stack of that thread.
class Guest {
 public:
  explicit Guest(Deadline deadline) noexcept;

  /// Whether it may take part in a loop whose pieces should take `piece` nanoseconds each, and need `stack` bytes of
  /// scratch memory. Infinite: nobody knows; then only where the wait has no end.
  [[nodiscard]] bool may_join(float piece, std::uint32_t stack) const noexcept;
  [[nodiscard]] bool has_stack(std::uint32_t bytes) const noexcept { return bytes <= spare_stack_; }
  [[nodiscard]] Deadline deadline() const noexcept { return deadline_; }

 private:
  const Deadline deadline_;
  std::int64_t spare_stack_;
};

/// A thread that waits owns the queue for this long, and runs what is short.
class Stint {
 public:
  /// `is_lesson`: the first launch is timed, however short it is.
  enum class Kind : std::uint8_t { usual, lesson };
  Stint(const Guest& guest, Kind kind) noexcept;

  /// Whether work that should take this long may begin: it is counted then.
  [[nodiscard]] bool may_begin(float nanoseconds) noexcept {
    if (!(nanoseconds <= left_)) return false;
    left_ -= nanoseconds + overhead;
    return true;
  }
  /// Runs the groups [done, count) of a launch and counts them in `done`. False where it stops before the end, or does
  /// not begin: the launch is too long, has an unknown cost, or is not what it was.
  template <class Body>
  [[nodiscard]] bool run(std::uint64_t& done, std::uint64_t count, LoopCost& cost, std::uint32_t stack,
                         const Body& body);

  /// All of it was over in a moment: the next may be left for a thread that waits again.
  [[nodiscard]] bool was_short() const noexcept { return most_ - left_ <= short_work; }
  /// What a worker ran is as short as that.
  [[nodiscard]] static bool is_short(float nanoseconds) noexcept { return nanoseconds <= short_work; }

  /// A launch of several groups that takes longer goes to a worker, which shares it.
  static constexpr float worth_sharing = 3000;

 private:
  static constexpr float longest = 100'000;  // nanoseconds
  static constexpr float short_work = 10'000;
  static constexpr float overhead = 10;
  static constexpr float worth_timing = 500;
  /// A look at the coarse clock is cheap beside this. Two looks at the exact one are in what was measured.
  static constexpr float worth_a_look = 60;
  static constexpr std::uint64_t groups_blind = 8;

  /// Whether the stint is no longer than it was to be.
  [[nodiscard]] bool goes_on() noexcept;

  const Guest& guest_;
  /// After `groups` more: whether the stint goes on. A look at the clock takes longer than some cheap ones.
  [[nodiscard]] bool goes_on_after(std::uint64_t groups, float each) noexcept {
    blind_ += groups;
    if (each < worth_a_look && blind_ < groups_blind) return true;
    blind_ = 0;
    return goes_on();
  }
  /// What is not as short as it was to be, or teaches what it takes.
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
