// A plan: where values lie in an arena, with a lower bound beside the total. `planner.h` makes plans.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle {

/// How a value gets its offset.
enum class Assignment : std::uint8_t {
  planned = 1,   ///< The planner chooses.
  fixed = 2,     ///< It lies at the value's own `chunk` and `offset`.
  external = 3,  ///< It takes no bytes of the arena.
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

}  // namespace pintle
