#include "plan/order_stream.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <utility>

namespace pintle::plan {
namespace {

/// Bytes that are free for steps after some other steps. A step that comes after the last user of bytes comes after all
/// users of them, so the last users are enough.
struct Gap {
  std::uint64_t size = 0;
  std::vector<std::uint32_t> after{};  ///< Positions; none: the gap is free for every step to come.
};

/// Gaps below the top, by address and by size. Gaps that are free for all and gaps that are free for some steps are
/// sorted apart.
class OrderedGaps {
 public:
  OrderedGaps(const Model& model, std::uint64_t ground)
      : model_(model),
        top_(ground),
        many_tries_(few_tries + all_tries / std::max<std::size_t>(1, model.blocks.size())) {}

  void begin_step(std::uint32_t now) { now_ = now; }

  std::uint64_t take(std::uint32_t index) {
    const Block& block = model_.blocks[index];
    const auto for_all = tightest(for_all_, index, few_tries), for_some = tightest(for_some_, index, many_tries_);
    const auto room = [&](const auto& found) { return found ? gaps_.at(*found).size : PlanProblem::no_limit; };
    if (for_all || for_some) return cut(room(for_some) < room(for_all) ? *for_some : *for_all, block);
    // Alignment may rule out the tightest gaps; this gap is surely large enough.
    const auto large = for_all_.lower_bound({block.size + block.alignment - 1, 0});
    return large != for_all_.end() ? cut(large->second, block) : on_top(index);
  }

  void give_back(std::uint64_t begin, Gap gap) {
    if (is_for_all(gap)) gap.after.clear();
    const auto next = gaps_.lower_bound(begin);
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second.size == begin && may_join(before->second, gap, begin)) {
        begin = before->first;
        gap.size += before->second.size;
        remove(before);
      }
    }
    const auto after = gaps_.find(begin + gap.size);
    if (after != gaps_.end() && may_join(after->second, gap, after->first)) {
      gap.size += after->second.size;
      remove(after);
    }
    add(begin, std::move(gap));
  }

  /// The gap at the address may be free for all by now, and may join other gaps.
  void look_again(std::uint64_t address) {
    auto gap = gaps_.upper_bound(address);
    if (gap == gaps_.begin() || (--gap)->first + gap->second.size <= address) return;
    if (gap->second.after.empty() || !is_for_all(gap->second)) return;
    const std::uint64_t begin = gap->first;
    Gap taken = gap->second;
    remove(gap);
    give_back(begin, std::move(taken));
  }

 private:
  using Gaps = std::map<std::uint64_t, Gap>;
  using BySize = std::set<std::pair<std::uint64_t, std::uint64_t>>;
  static constexpr std::uint64_t few_tries = 8;
  static constexpr std::uint64_t all_tries = 2'000'000;  // for all blocks together: some tenths of a second

  [[nodiscard]] bool is_for_all(const Gap& gap) const {
    return std::ranges::all_of(gap.after, [&](std::uint32_t step) { return model_.relation->horizon(step) <= now_; });
  }

  [[nodiscard]] bool is_for(const Gap& gap, std::uint32_t block) const {
    return gap.after.empty() || model_.relation->are_before(gap.after, model_.uses[block].firsts);
  }

  /// Two gaps join where every step to come may use both or neither. Gaps of different chunks stay apart.
  [[nodiscard]] bool may_join(const Gap& a, const Gap& b, std::uint64_t border) const {
    if (model_.has_chunks() && border % model_.chunk == 0) return false;
    if (a.after == b.after) return true;
    for (std::uint32_t word = now_ / 64; word < (model_.relation->steps() + 63) / 64; ++word) {
      if (steps_after(a, word) != steps_after(b, word)) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint64_t steps_after(const Gap& gap, std::uint32_t word) const {
    std::uint64_t steps = ~std::uint64_t{0};
    for (const std::uint32_t step : gap.after) steps &= model_.relation->after(step)[word];
    const std::uint32_t end = model_.relation->steps();
    if (word == end / 64) steps &= (std::uint64_t{1} << (end % 64)) - 1;
    return word == now_ / 64 ? steps >> (now_ % 64) : steps;
  }

  [[nodiscard]] std::optional<std::uint64_t> tightest(const BySize& sizes, std::uint32_t index,
                                                      std::uint64_t tries) const {
    const Block& block = model_.blocks[index];
    for (auto one = sizes.lower_bound({block.size, 0}); one != sizes.end() && tries > 0; ++one, --tries) {
      const auto [room, begin] = *one;
      const bool fits = next_place(model_, block, begin) - begin <= room - block.size;
      if (fits && is_for(gaps_.at(begin), index)) return begin;
    }
    return std::nullopt;
  }

  [[nodiscard]] BySize& sizes_of(const Gap& gap) { return gap.after.empty() ? for_all_ : for_some_; }
  void add(std::uint64_t begin, Gap gap) {
    if (gap.size == 0) return;
    sizes_of(gap).emplace(gap.size, begin);
    gaps_.emplace(begin, std::move(gap));
  }
  void remove(Gaps::iterator gap) {
    sizes_of(gap->second).erase({gap->second.size, gap->first});
    gaps_.erase(gap);
  }

  std::uint64_t cut(std::uint64_t begin, const Block& block) {
    const auto found = gaps_.find(begin);
    Gap low = found->second, high = found->second;
    const std::uint64_t place = next_place(model_, block, begin), end = begin + low.size;
    remove(found);
    low.size = place - begin;
    high.size = end - place - block.size;
    add(begin, std::move(low));
    add(place + block.size, std::move(high));
    return place;
  }

  /// Begins in the gap below the top, where that gap is free.
  std::uint64_t on_top(std::uint32_t index) {
    const Block& block = model_.blocks[index];
    std::uint64_t begin = top_;
    Gap below;
    if (!gaps_.empty()) {
      const auto last = std::prev(gaps_.end());
      const bool is_at_top = last->first + last->second.size == top_;
      if (is_at_top && is_for(last->second, index) && !(model_.has_chunks() && top_ % model_.chunk == 0)) {
        begin = last->first;
        if (next_place(model_, block, begin) + block.size <= top_) return cut(begin, block);
        below = last->second;
        remove(last);
      }
    }
    const std::uint64_t place = next_place(model_, block, begin);
    below.size = std::min(place, top_) - begin;
    add(begin, std::move(below));
    if (place > top_) add(top_, {place - top_, {}});
    top_ = place + block.size;
    return place;
  }

  const Model& model_;
  Gaps gaps_;
  BySize for_all_, for_some_;
  std::uint64_t top_;
  std::uint64_t many_tries_;
  std::uint32_t now_ = 0;
};

/// Places blocks by their first step, and gives back blocks that ended before it.
class OrderStream {
 public:
  explicit OrderStream(const Model& model) : model_(model), addresses_(model.blocks.size()), gaps_(model, ground()) {}

  std::vector<std::uint64_t> run() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < model_.blocks.size(); ++i) {
      if (!model_.blocks[i].fixed) order.push_back(i);
    }
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(begin_of(a), model_.blocks[b].size, a) < std::tuple(begin_of(b), model_.blocks[a].size, b);
    });
    for (const std::uint32_t block : order) {
      go_to(begin_of(block));
      addresses_[block] = gaps_.take(block);
      if (!model_.uses[block].is_always()) ends_.emplace(model_.uses[block].lasts.front(), block);
    }
    return std::move(addresses_);
  }

 private:
  using Event = std::pair<std::uint32_t, std::uint64_t>;  // a position, and a block or an address
  using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  /// The end of all fixed blocks: all other blocks lie above.
  [[nodiscard]] std::uint64_t ground() {
    std::uint64_t ground = 0;
    for (std::size_t i = 0; i < model_.blocks.size(); ++i) {
      const Block& block = model_.blocks[i];
      if (!block.fixed) continue;
      addresses_[i] = *block.fixed;
      ground = std::max(ground, *block.fixed + block.size);
    }
    return ground;
  }

  [[nodiscard]] std::uint32_t begin_of(std::uint32_t block) const {
    return model_.uses[block].is_always() ? 0 : model_.uses[block].firsts.front();
  }

  void go_to(std::uint32_t now) {
    gaps_.begin_step(now);
    for (; !ends_.empty() && ends_.top().first < now; ends_.pop()) {
      const auto block = static_cast<std::uint32_t>(ends_.top().second);
      const auto& lasts = model_.uses[block].lasts;
      std::uint32_t horizon = 0;
      for (const std::uint32_t last : lasts) horizon = std::max(horizon, model_.relation->horizon(last));
      if (horizon > now) horizons_.emplace(horizon, addresses_[block]);
      gaps_.give_back(addresses_[block], {model_.blocks[block].size, lasts});
    }
    for (; !horizons_.empty() && horizons_.top().first <= now; horizons_.pop())
      gaps_.look_again(horizons_.top().second);
  }

  const Model& model_;
  std::vector<std::uint64_t> addresses_;
  OrderedGaps gaps_;
  Events ends_, horizons_;
};

}  // namespace

std::vector<std::uint64_t> place_in_order(const Model& model) { return OrderStream(model).run(); }

}  // namespace pintle::plan
