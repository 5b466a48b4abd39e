// The memory planner: where values lie in an arena, with a lower bound beside the total. It needs no device.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/error.h"

namespace pintle {

/// How a value gets its offset.
enum class Assignment : std::uint8_t {
  planned = 1,   ///< The planner chooses.
  fixed = 2,     ///< It lies at the value's own `chunk` and `offset`.
  external = 3,  ///< It takes no bytes of the arena.
};

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
  std::chrono::nanoseconds time{0};  ///< 0: no limit of time where `nodes` are given.
  std::uint64_t nodes = 0;           ///< 0: no limit of nodes where a `time` is given.
  std::uint64_t enough = 0;          ///< Bytes: the search ends at a plan of at most this total. 0: at the least total.
};

/// The place of one value. Sizes and offsets are bytes.
struct PlannedValue {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  Assignment assignment = Assignment::planned;
  std::uint32_t chunk = 0;   ///< 0 for an external value.
  std::uint64_t offset = 0;  ///< From the beginning of its chunk; 0 for an external value.
  friend bool operator==(const PlannedValue&, const PlannedValue&) = default;
};

/// Offsets with a certificate: no plan takes fewer than `lower_bound` bytes. A value; `check` says whether it fits a
/// problem.
class Plan {
 public:
  Plan() = default;

  /// The places of the values, in the order of the problem's values.
  [[nodiscard]] std::span<const PlannedValue> values() const noexcept { return {values_.data(), values_.size()}; }
  /// The bytes of each chunk. There is at most one where the problem has no largest chunk.
  [[nodiscard]] std::span<const std::uint64_t> chunks() const noexcept { return {chunks_.data(), chunks_.size()}; }
  /// The bytes of all chunks together: the peak.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// Bytes: no plan of the problem has a smaller total.
  [[nodiscard]] std::uint64_t lower_bound() const noexcept { return lower_bound_; }
  /// The bytes by which the total exceeds the lower bound.
  [[nodiscard]] std::uint64_t gap() const noexcept { return total_ - lower_bound_; }
  /// True where the gap is 0: no plan has a smaller total.
  [[nodiscard]] bool is_optimal() const noexcept { return gap() == 0; }
  /// The index in `values()` of the value of this name; `not_found` where there is none. Logarithmic time.
  [[nodiscard]] Result<std::uint32_t> find(std::string_view name) const;
  /// The indices of several names: `auto [x, y] = must(plan.ids("x", "y"));`
  template <class... Names>
  [[nodiscard]] Result<std::array<std::uint32_t, sizeof...(Names)>> ids(const Names&... names) const {
    std::array<std::uint32_t, sizeof...(Names)> found{};
    std::size_t next = 0;
    for (const std::string_view name : {std::string_view(names)...}) {
      PINTLE_ASSIGN(id, find(name));
      found[next++] = id;
    }
    return found;
  }

  /// The plan as text, one line for each value. `parse` reads an equal plan from it, and equal plans give equal text.
  /// Empty where host memory runs out.
  [[nodiscard]] std::string text() const noexcept;
  /// Reads the text of a plan. `invalid_argument` names the line: a text that is no plan, a number that does not parse,
  /// a name that occurs twice, a value that is misaligned or leaves its chunk, totals that are not the sum of their
  /// chunks.
  [[nodiscard]] static Result<Plan> parse(std::string_view text);

  friend bool operator==(const Plan&, const Plan&) = default;

  /// Puts a plan together. `invalid_argument` for values that `parse` refuses.
  [[nodiscard]] static Result<Plan> create(std::vector<PlannedValue> values, std::vector<std::uint64_t> chunks,
                                           std::uint64_t lower_bound);

 private:
  std::vector<PlannedValue> values_;
  std::vector<std::uint64_t> chunks_;
  std::vector<std::uint32_t> by_name_;
  std::uint64_t total_ = 0;
  std::uint64_t lower_bound_ = 0;
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
