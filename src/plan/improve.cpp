#include "plan/improve.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "plan/ascent.h"

namespace pintle::plan {
namespace {

constexpr std::uint64_t first_share = 1000;  // nodes of the first attempt; each round has twice as many
constexpr std::array preferences{Preference::longest, Preference::tallest, Preference::largest, Preference::shortest};
constexpr std::array ranks{Rank::area, Rank::length, Rank::load};
constexpr std::uint64_t least_ascent = 32'000;  // nodes of an ascent: a node is cheap, and solutions come early
constexpr std::uint64_t late_ascent = 4000;     // the round of the first ascents where none were made before
constexpr std::uint64_t attempts = 4;           // of each preference in a round, each with its own seed
constexpr std::uint32_t most_halvings = 4;

/// Whether blocks that live throughout can be left out of the search. Such a block lies above or below every other
/// block. Without it the blocks above sink by its size where that keeps every alignment. Elsewhere it may fill a gap
/// that no block on the ground can fill.
bool costs_nothing(const Model& model, std::uint64_t ground) {
  std::uint64_t bytes = 0, alignment = 1;
  for (const Block& block : model.blocks) {
    if (lies_throughout(model, block)) bytes += block.size;
    else alignment = std::max(alignment, block.alignment);
  }
  return ground == bytes && std::ranges::all_of(model.blocks, [&](const Block& block) {
           return !lies_throughout(model, block) || block.size % alignment == 0;
         });
}

/// Searches over the blocks that do not live throughout. The others lie on the ground where that costs nothing.
class Improvement {
 public:
  Improvement(const Model& model, Known& known, Allowance& allowance)
      : model_(model), known_(known), allowance_(allowance), addresses_(model.blocks.size()) {
    ground_ = place_throughout(model, addresses_);
    for (const Block& block : model.blocks) {
      unit_ = std::gcd(unit_, block.size);
      if (block.alignment != 1) unit_ = std::gcd(unit_, block.alignment);
    }
    if (!costs_nothing(model, ground_)) ground_ = 0;
    for (std::uint32_t i = 0; i < model.blocks.size(); ++i) {
      if (ground_ != 0 && lies_throughout(model, model.blocks[i])) continue;
      indices_.push_back(i);
      blocks_.push_back(model.blocks[i]);
    }
    known_.least = (known_.least + unit_ - 1) / unit_ * unit_;
  }

  /// Where `enough` is given there is mostly slack, which ascents are good at. An ascent with as many nodes as before
  /// ends as before, so none is repeated until a round gives it more nodes.
  void run() {
    const bool is_ahead = known_.enough != 0;
    if (is_ahead) ascend_to_target(least_ascent);
    for (std::uint64_t share = first_share; !is_done(); share *= 2) {
      for (std::uint64_t i = 0; i < attempts; ++i) {
        for (const Preference preference : preferences) attempt_valleys(target(), {preference, seed_}, share);
        ++seed_;
      }
      halve(share);
      if (share > least_ascent) ascend_to_target(share);
      else if (share == late_ascent && !is_ahead) ascend_to_target(least_ascent);
    }
  }

 private:
  [[nodiscard]] std::uint64_t target() const { return std::max(known_.least, known_.enough); }
  [[nodiscard]] bool is_done() const { return allowance_.is_spent() || known_.layout.total <= target(); }

  /// Tries the target, then the middle of the way to it.
  void ascend_to_target(std::uint64_t nodes) {
    for (const Rank rank : ranks) attempt_ascent(target(), rank, nodes);
    if (is_done()) return;
    const std::uint64_t middle = target() + (known_.layout.total - target()) / 2;
    for (const Rank rank : ranks) attempt_ascent(middle, rank, nodes / ranks.size());
  }

  /// Where the target is not reached, tries capacities between it and the present total.
  void halve(std::uint64_t share) {
    std::uint64_t low = target();
    for (std::uint32_t i = 0; i < most_halvings && !is_done() && known_.layout.total - low > 1; ++i) {
      const std::uint64_t middle = low + (known_.layout.total - low) / 2;
      const Taste taste{preferences[i % preferences.size()], seed_};
      if (attempt_valleys(middle, taste, share) != Verdict::found) low = middle;
    }
  }

  Verdict attempt_valleys(std::uint64_t capacity, Taste taste, std::uint64_t share) {
    return attempt(capacity, share, [&](Allowance& left, std::vector<std::uint64_t>& offsets) {
      return search(blocks_, model_.sections, ground_, capacity, taste, left, offsets);
    });
  }

  Verdict attempt_ascent(std::uint64_t capacity, Rank rank, std::uint64_t share) {
    return attempt(capacity, share, [&](Allowance& left, std::vector<std::uint64_t>& offsets) {
      return ascend(blocks_, model_.sections, ground_, capacity, rank, left, offsets);
    });
  }

  template <class Solver>
  Verdict attempt(std::uint64_t capacity, std::uint64_t share, Solver solver) {
    if (is_done() || !allowance_.spend()) return Verdict::gave_up;
    const Allowance given = allowance_.share(share);
    Allowance left = given;
    std::vector<std::uint64_t> offsets;
    const Verdict verdict = solver(left, offsets);
    allowance_.take(given, left);
    if (verdict == Verdict::impossible) known_.least = std::max(known_.least, (capacity / unit_ + 1) * unit_);
    if (verdict == Verdict::found) take(offsets);
    return verdict;
  }

  void take(const std::vector<std::uint64_t>& offsets) {
    for (std::size_t i = 0; i < indices_.size(); ++i) addresses_[indices_[i]] = offsets[i];
    const auto bytes = chunk_bytes(model_, addresses_);
    const std::uint64_t total = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
    if (total < known_.layout.total) known_.layout = {addresses_, total};
  }

  const Model& model_;
  Known& known_;
  Allowance& allowance_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::uint32_t> indices_;
  std::vector<Block> blocks_;
  std::uint64_t ground_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t unit_ = 0;  ///< Where no block can sink, every offset and every end is a multiple of this.
};

}  // namespace

bool is_searchable(const Model& model) noexcept {
  return model.is_line && !model.has_chunks() && !model.has_fixed && !model.blocks.empty() &&
         model.blocks.size() <= PlanBudget::most_values;
}

void improve(const Model& model, Known& known, Allowance& allowance) { Improvement(model, known, allowance).run(); }

}  // namespace pintle::plan
