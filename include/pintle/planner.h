// The memory planner: where values lie in an arena, with a lower bound beside the total. It needs no device, and
// `pintle.h` does not include it.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pintle/error.h"
#include "pintle/plan.h"

namespace pintle {

/// The steps at which a value is used.
enum class Lifetime : std::uint8_t {
  steps = 1,       ///< Those that `lower` and `upper`, or `uses`, give.
  persistent = 2,  ///< All: the value shares its bytes with nothing.
};

/// One value of a program. Sizes and offsets are bytes.
struct PlanValue {
  std::string name;                   ///< Unique, and not empty.
  std::uint64_t size = 0;             ///< A value of size 0 takes no bytes and conflicts with nothing.
  std::uint64_t alignment = 1;        ///< A power of two; the offset in the chunk is a multiple of it.
  std::uint64_t lower = 0;            ///< The first step that uses it, on one line of time.
  std::uint64_t upper = 0;            ///< One more than the last step that uses it.
  std::vector<std::uint32_t> uses{};  ///< With a relation of steps: the steps that use it, instead of `lower`, `upper`.
  Assignment assignment = Assignment::planned;
  Lifetime lifetime = Lifetime::steps;
  std::uint32_t chunk = 0;   ///< The chunk of a fixed value.
  std::uint64_t offset = 0;  ///< The offset of a fixed value.
  friend bool operator==(const PlanValue&, const PlanValue&) = default;
};

/// A pair of values, by their indices in `values`, that may share bytes: `to` may begin at the offset of `from` where
/// the last use of `from` is the first use of `to`, `to` is not larger, and both are planned and have a lifetime of
/// steps. Any other pair has no effect.
struct InPlace {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend bool operator==(const InPlace&, const InPlace&) = default;
};

/// Steps of several queues, and which of them happen before others. Two values may share bytes only if all uses of one
/// happen before all uses of the other.
struct StepOrder {
  static constexpr std::uint32_t max_steps = 16384;
  std::uint32_t steps = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> before{};  ///< (earlier, later); implied pairs are not needed.
  friend bool operator==(const StepOrder&, const StepOrder&) = default;
};

/// The values to lay out, and the rules.
struct PlanProblem {
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  std::vector<PlanValue> values{};
  std::vector<InPlace> in_place{};
  std::optional<StepOrder> order{};        ///< Empty: one line of time.
  std::uint64_t largest_chunk = no_limit;  ///< Bytes of the largest allocation. Each value lies in one chunk.
  friend bool operator==(const PlanProblem&, const PlanProblem&) = default;
};

/// The limits of the exact search. Without time and nodes there is none, only the greedy plans. With nodes alone the
/// plan is the same on every machine and in every run; with a time it depends on how far the search gets.
struct PlanBudget {
  static constexpr std::uint64_t most_values = 4096;  ///< More values get greedy plans only.
  std::chrono::nanoseconds time{0};                   ///< 0: no limit of time where `nodes` are given.
  std::uint64_t nodes = 0;                            ///< 0: no limit of nodes where a `time` is given.
  std::uint64_t enough = 0;  ///< Bytes: the search ends at a plan of at most this total. 0: at the least total.
};

/// Lays the values out: the best of several greedy plans and, with a budget, the result of an exact search. Blocks for
/// as long as the budget's time; without a time the plan is deterministic. Thread-safe: it has no state. Errors:
/// `invalid_argument` for a value that cannot be (with its name), sizes that overflow, steps that happen before
/// themselves (with the cycle), and fixed values that overlap (with both names); `unsupported` for more than
/// `StepOrder::max_steps` steps.
[[nodiscard]] Result<Plan> lay_out(const PlanProblem& problem, const PlanBudget& budget = {});

/// Checks that the plan is right for the problem, by a sweep of its own that shares no code with the planner.
/// `invalid_argument` names the two values that overlap, or the value that is misaligned, outside its chunk, or not
/// where it is fixed.
[[nodiscard]] Result<void> check(const PlanProblem& problem, const Plan& plan);

/// The plan as an SVG picture: lifetimes from left to right, offsets from the bottom up. With a relation of steps a
/// lifetime is drawn from the first to the last step of one order that the relation allows.
[[nodiscard]] Result<std::string> picture(const PlanProblem& problem, const Plan& plan);

}  // namespace pintle
