// The problem as the solvers see it: blocks on compressed time, or blocks with a graph of conflicts.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "pintle/error.h"
#include "pintle/planner.h"
#include "plan/step_relation.h"

namespace pintle::plan {

inline constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();
/// All addresses stay below this, so that a sum of two cannot overflow.
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

/// Values that share one offset: mostly one value; several where each takes the bytes of the one before.
struct Block {
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  std::uint32_t lower = 0;  ///< Sections of time; [0, 1) for all where there is a relation of steps.
  std::uint32_t upper = 0;
  std::optional<std::uint64_t> fixed{};  ///< An address.
  std::uint64_t steps = 1;               ///< Steps between `lower` and `upper`.
};

/// Addresses count through all chunks: chunk * chunk size + offset.
struct Model {
  std::vector<Block> blocks{};
  std::vector<std::uint32_t> block_of{};  ///< The block of each value; `no_block` where it takes no bytes.
  std::uint32_t sections = 1;
  std::uint64_t chunk = PlanProblem::no_limit;  ///< No limit where everything fits in one chunk.
  bool has_fixed = false;
  bool may_split = false;    ///< Several chunks may hold less than one, since each saves the padding of its last block.
  bool is_line = true;       ///< One line of time: `lower` and `upper` say what conflicts.
  std::vector<Uses> uses{};  ///< Where there is a relation: the uses of each block.
  const StepRelation* relation = nullptr;  ///< The order of those uses.
  std::vector<std::vector<std::uint32_t>>
      conflicts{};  ///< And each block's, ascending; empty where there are too many.

  /// Whether two blocks must not share bytes.
  [[nodiscard]] bool conflict(std::uint32_t a, std::uint32_t b) const noexcept {
    if (is_line) return blocks[a].lower < blocks[b].upper && blocks[b].lower < blocks[a].upper;
    return !relation->are_before(uses[a], uses[b]) && !relation->are_before(uses[b], uses[a]);
  }
  [[nodiscard]] bool has_lists() const noexcept { return !conflicts.empty(); }
  /// Whether what holds for one chunk holds for every plan.
  [[nodiscard]] bool is_one_chunk() const noexcept { return !has_chunks() && !may_split; }
  [[nodiscard]] bool has_chunks() const noexcept { return chunk != PlanProblem::no_limit; }
};

/// The least address from `address` on where a block may begin: aligned in its chunk, and not reaching over its end.
[[nodiscard]] std::uint64_t next_place(const Model& model, const Block& block, std::uint64_t address) noexcept;

/// Whether the value takes bytes: it is neither external nor empty.
[[nodiscard]] inline bool takes_bytes(const PlanValue& value) noexcept {
  return value.assignment != Assignment::external && value.size != 0;
}

/// Whether in-place pairs are used.
enum class Sharing : std::uint8_t { off, on };

/// A problem that has been checked, with what follows from it.
struct Checked {
  const PlanProblem* problem = nullptr;
  std::optional<StepRelation> relation{};
  std::vector<InPlace> pairs{};  ///< The pairs that have an effect, in the order of time.
};

/// Returns `invalid_argument` and `unsupported` where `lay_out` promises them.
[[nodiscard]] Result<Checked> check_problem(const PlanProblem& problem);
[[nodiscard]] Model model_of(const Checked& checked, Sharing sharing);

}  // namespace pintle::plan
