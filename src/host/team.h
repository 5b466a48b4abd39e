// One loop over [0, count), shared by the thread that opens it and all threads that join.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "kit/loop_cost.h"
#include "pintle/deadline.h"

namespace pintle::host {

using kit::LoopCost;
using kit::unknown_cost;

/// The part of a loop that is still to run.
struct Loop {
  using Body = void (*)(const void* context, std::uint64_t first, std::uint64_t last);

  const void* owner = nullptr;  ///< The queue that it runs for: a thread that waits for it joins here first.
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  Body body = nullptr;  ///< Runs the pieces [first, last).
  const void* context = nullptr;
  LoopCost* cost = nullptr;  ///< Set where one kernel runs.
  // For threads that are not the pool's own:
  float piece = 0;          ///< Nanoseconds that the dearest piece should take, where there is no `cost`.
  std::uint32_t stack = 0;  ///< Bytes of scratch memory that a piece needs.

  [[nodiscard]] float expected_piece() const noexcept { return cost != nullptr ? cost->of(1) : piece; }
};

/// Belongs to one opener, which opens, works, and closes. Other threads may join while it is open. The range is cut
/// into parts. A member starts in its own part, so that a repeated loop finds its data in the same cache, and then
/// helps in the other parts.
class Team {
 public:
  /// The reasons for which a member leaves between two pieces.
  struct Limits {
    const std::atomic<bool>* stop;        ///< Leave when it is raised.
    Deadline deadline = Deadline::max();  ///< Leave when it has passed.
  };

  void open(const Loop& loop, std::uint32_t parts) noexcept;
  /// Called after the opener's own work. On return no thread can join, all members have left, and, unless `stop`, the
  /// opener has run the pieces that they left.
  void close(Duration spin, const std::atomic<bool>& stop) noexcept;

  /// The number of the new member; 0 (the opener's) when the team is closed.
  [[nodiscard]] std::uint32_t join() noexcept;
  void leave() noexcept;
  /// Called by members.
  [[nodiscard]] const Loop& loop() const noexcept { return loop_; }
  /// The owner of the loop: a hint, valid only after joining.
  [[nodiscard]] const void* owner() const noexcept { return owner_.load(std::memory_order_relaxed); }

  /// Runs one claim after another. True when nothing is left that is worth claiming; false when a limit made this
  /// member leave early. `after_claim(left)` gets the time that the rest of a part would take one thread.
  template <class AfterClaim>
  bool work(std::uint32_t member, const Limits& limits, AfterClaim after_claim);

 private:
  static constexpr std::uint32_t max_parts = 16;
  static constexpr std::uint32_t open_bit = 1u << 31;
  static constexpr std::uint32_t sleep_bit = 1u << 30;
  static constexpr std::uint32_t joined_unit = 1u << 15;
  static constexpr std::uint32_t joined_mask = 0x3fff8000;
  static constexpr std::uint32_t member_mask = 0x7fff;

  static constexpr Duration good_claim = std::chrono::microseconds(5);
  static constexpr Duration long_claim = std::chrono::microseconds(100);
  static constexpr Duration unknown_piece = std::chrono::seconds(1);
  static constexpr std::uint64_t worth_helping_nanoseconds = 5000;

  struct alignas(64) Part {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t end = 0;
    std::atomic<bool> has_member{false};
  };
  struct Claim {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  static Claim claim(Part& part, std::uint64_t most, std::uint64_t least) noexcept;
  void wait_for_members(Duration spin) noexcept;
  /// Whether to help in another part, when a piece takes `piece`. The end of a part that a member works on is left
  /// alone: its data is in that member's cache.
  [[nodiscard]] static bool is_worth_helping(const Part& part, Duration piece) noexcept {
    const std::uint64_t next = part.next.load(std::memory_order_relaxed);
    if (next >= part.end) return false;
    return !part.has_member.load(std::memory_order_relaxed) ||
           (part.end - next) * static_cast<std::uint64_t>(piece.count()) >= worth_helping_nanoseconds;
  }

  alignas(64) std::atomic<std::uint32_t> state_{0};
  std::uint32_t parts_ = 0;
  Loop loop_;
  std::uint64_t first_claim_ = 1;
  std::atomic<const void*> owner_{nullptr};
  std::array<Part, max_parts> part_;
};

inline Team::Claim Team::claim(Part& part, std::uint64_t most, std::uint64_t least) noexcept {
  const std::uint64_t next = part.next.load(std::memory_order_relaxed);
  if (next >= part.end) return {};
  // A claim takes at most half of the rest, so that other members find work at the end, unless the rest is over in a
  // moment.
  const std::uint64_t wanted = std::min(most, std::max((part.end - next + 1) / 2, least));
  const std::uint64_t first = part.next.fetch_add(wanted, std::memory_order_relaxed);
  if (first >= part.end) return {};
  return {first, std::min(first + wanted, part.end)};
}

template <class AfterClaim>
bool Team::work(std::uint32_t member, const Limits& limits, AfterClaim after_claim) {
  constexpr std::uint64_t most_claim = 1 << 20;
  std::uint64_t most = first_claim_;
  Duration each = unknown_piece;
  Deadline before = Clock::now();
  for (std::uint32_t step = 0; step < parts_; ++step) {
    Part& part = part_[(member + step) % parts_];
    if (step == 0) part.has_member.store(true, std::memory_order_relaxed);
    while (step == 0 || is_worth_helping(part, each)) {
      const Claim piece = claim(part, most, first_claim_ / 2);
      if (piece.first == piece.last) break;
      loop_.body(loop_.context, piece.first, piece.last);
      const Deadline now = Clock::now();
      const Duration elapsed = now - before;
      const std::uint64_t pieces = piece.last - piece.first;
      each = elapsed / pieces;
      before = now;
      if (member == 0 && loop_.cost != nullptr) loop_.cost->learn(elapsed, pieces);
      if (limits.stop->load(std::memory_order_relaxed) || now >= limits.deadline) return false;
      after_claim(each * (part.end - piece.last));
      if (elapsed < good_claim && most < most_claim) most *= 2;
      if (elapsed > long_claim && most > 1) most /= 2;
    }
  }
  return true;
}

}  // namespace pintle::host
