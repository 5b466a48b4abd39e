#include "plan/greedy.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "plan/neighbours.h"
#include "plan/order_stream.h"
#include "plan/stream.h"

namespace pintle::plan {
namespace {

/// The limit of visits of neighbours for all orders together: about half a second.
constexpr std::uint64_t most_work = 12'000'000;
constexpr std::uint32_t shaken_orders = 24;
/// With more pairs of conflicting blocks than this, one pass over time is made instead, where that is possible.
constexpr std::uint64_t most_pairs = 40'000'000;

enum class Fit : std::uint8_t { first, best };

class Packer {
 public:
  explicit Packer(const Model& model) : model_(model), neighbours_(model), addresses_(model.blocks.size()) {
    ground_ = place_throughout(model, addresses_);
    for (std::uint32_t i = 0; i < model.blocks.size(); ++i) {
      if (model.blocks[i].fixed) addresses_[i] = *model.blocks[i].fixed;
      else if (ground_ == 0 || !lies_throughout(model, model.blocks[i])) movable_.push_back(i);
    }
    pairs_throughout_ = (model.blocks.size() - movable_.size()) * model.blocks.size();
    if (!model.is_line || model.has_fixed) pairs_throughout_ = 0;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& movable() const { return movable_; }
  [[nodiscard]] std::uint64_t work() const { return work_; }
  [[nodiscard]] Layout pack(const std::vector<std::uint32_t>& order, Fit fit);
  [[nodiscard]] Layout pack_in_time();
  /// Whether there are too many conflicts to look at each.
  [[nodiscard]] bool is_dense() const;

 private:
  [[nodiscard]] std::uint64_t place_for(std::uint32_t block, Fit fit);

  const Model& model_;
  Neighbours neighbours_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::uint32_t> movable_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken_;  ///< Address and end of each neighbour.
  std::uint64_t ground_ = 0;
  std::uint64_t pairs_throughout_ = 0;  ///< Pairs of blocks that already lie on the ground.
  std::uint64_t work_ = 0;
};

std::uint64_t Packer::place_for(std::uint32_t index, Fit fit) {
  const Block& block = model_.blocks[index];
  taken_.clear();
  neighbours_.visit(index, [&](std::uint32_t other) {
    taken_.emplace_back(addresses_[other], addresses_[other] + model_.blocks[other].size);
  });
  work_ += taken_.size() + 16;
  std::ranges::sort(taken_);
  std::uint64_t place = next_place(model_, block, ground_), floor = ground_;
  std::uint64_t best = PlanProblem::no_limit, waste = PlanProblem::no_limit;
  for (const auto& [begin, end] : taken_) {
    if (begin >= place && begin - place >= block.size) {
      if (fit == Fit::first) return place;
      if (begin - floor - block.size < waste) waste = begin - floor - block.size, best = place;
    }
    if (end <= floor) continue;
    floor = end;
    place = next_place(model_, block, std::max(end, place));
  }
  return best == PlanProblem::no_limit ? place : best;
}

Layout Packer::pack(const std::vector<std::uint32_t>& order, Fit fit) {
  neighbours_.clear();
  for (std::uint32_t i = 0; i < model_.blocks.size() && model_.has_fixed; ++i) {
    if (model_.blocks[i].fixed) neighbours_.add(i);
  }
  for (const std::uint32_t block : order) {
    addresses_[block] = place_for(block, fit);
    neighbours_.add(block);
  }
  const auto bytes = chunk_bytes(model_, addresses_);
  return {addresses_, std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0})};
}

bool Packer::is_dense() const {
  const bool can_stream = model_.is_line && !model_.has_fixed && !model_.has_chunks();
  return can_stream && neighbours_.pairs() - pairs_throughout_ > most_pairs;
}

Layout Packer::pack_in_time() {
  place_in_time(model_, movable_, ground_, addresses_);
  const auto bytes = chunk_bytes(model_, addresses_);
  return {addresses_, std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0})};
}

std::uint64_t width(const Block& block) { return block.upper - block.lower; }

/// A block with a greater weight is placed earlier. The products are of doubles: they serve for the order alone.
using Weight = double (*)(const Block& block);
constexpr std::array<Weight, 7> weights{
    [](const Block& b) { return static_cast<double>(b.size); },
    [](const Block& b) { return static_cast<double>(b.size) * static_cast<double>(width(b)); },
    [](const Block& b) { return static_cast<double>(width(b)); },
    [](const Block& b) { return -static_cast<double>(b.lower); },
    [](const Block& b) { return static_cast<double>(b.upper); },
    [](const Block& b) {
      return static_cast<double>(b.size) * static_cast<double>(width(b)) * static_cast<double>(width(b));
    },
    [](const Block& b) {
      return static_cast<double>(b.size) * static_cast<double>(b.size) * static_cast<double>(width(b));
    },
};

/// With equal weights the larger block comes first.
std::vector<std::uint32_t> ordered(const Model& model, std::vector<std::uint32_t> blocks, Weight weight) {
  std::ranges::sort(blocks, [&](std::uint32_t a, std::uint32_t b) {
    const Block &x = model.blocks[a], &y = model.blocks[b];
    return std::tuple(weight(x), x.size, b) > std::tuple(weight(y), y.size, a);
  });
  return blocks;
}

/// The blocks in the order of their addresses, with some of the highest moved towards the front: a block that ended on
/// top comes earlier the next time.
std::vector<std::uint32_t> shaken(const Model& model, std::vector<std::uint32_t> order, const Layout& layout,
                                  std::uint64_t& random) {
  std::vector<std::uint32_t> moved, rest;
  for (const std::uint32_t block : order) {
    const bool is_top = layout.addresses[block] + model.blocks[block].size == layout.total;
    (is_top ? moved : rest).push_back(block);
  }
  for (const std::uint32_t block : moved) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t place = rest.empty() ? 0 : (random >> 33) % rest.size() / 2;
    rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(place), block);
  }
  return rest;
}

}  // namespace

std::vector<std::uint64_t> chunk_bytes(const Model& model, const std::vector<std::uint64_t>& addresses) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::uint64_t chunk = addresses[i] / model.chunk;
    if (chunk >= bytes.size()) bytes.resize(chunk + 1);
    bytes[chunk] = std::max(bytes[chunk], addresses[i] % model.chunk + model.blocks[i].size);
  }
  return bytes;
}

bool lies_throughout(const Model& model, const Block& block) noexcept {
  return model.is_line && block.lower == 0 && block.upper == model.sections;
}

std::uint64_t place_throughout(const Model& model, std::vector<std::uint64_t>& addresses) {
  if (!model.is_line || model.has_fixed || model.has_chunks()) return 0;
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t i = 0; i < model.blocks.size(); ++i) {
    if (lies_throughout(model, model.blocks[i])) blocks.push_back(i);
  }
  std::ranges::sort(blocks, std::ranges::greater{}, [&](auto i) { return std::pair(model.blocks[i].alignment, ~i); });
  std::uint64_t ground = 0;
  for (const std::uint32_t block : blocks) {
    addresses[block] = next_place(model, model.blocks[block], ground);
    ground = addresses[block] + model.blocks[block].size;
  }
  return ground;
}

[[nodiscard]] static Layout pack_in_order(const Model& model) {
  Layout layout{place_in_order(model), 0};
  const auto bytes = chunk_bytes(model, layout.addresses);
  layout.total = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  return layout;
}

Layout first_fit_by_size(const Model& model) {
  Packer packer(model);
  return packer.pack(ordered(model, packer.movable(), weights[0]), Fit::first);
}

Layout greedy(const Model& model, std::uint64_t enough) {
  if (!model.is_line && !model.has_lists()) return pack_in_order(model);
  Packer packer(model);
  if (packer.is_dense()) return packer.pack_in_time();
  Layout best = packer.pack(ordered(model, packer.movable(), weights[0]), Fit::first);
  const std::uint64_t each = packer.work();
  auto best_order = ordered(model, packer.movable(), weights[0]);
  const auto may_go_on = [&] { return best.total > enough && packer.work() + each <= most_work; };
  const auto take = [&](std::vector<std::uint32_t> order, Fit fit) {
    Layout layout = packer.pack(order, fit);
    if (layout.total > best.total) return;
    best = std::move(layout);
    best_order = std::move(order);
  };
  for (std::size_t i = 1; i < 2 * weights.size() && may_go_on(); ++i)
    take(ordered(model, packer.movable(), weights[i / 2]), i % 2 == 0 ? Fit::first : Fit::best);
  std::uint64_t random = 1;
  for (std::uint32_t i = 0; i < shaken_orders && may_go_on(); ++i)
    take(shaken(model, best_order, best, random), Fit::first);
  return best;
}

}  // namespace pintle::plan
