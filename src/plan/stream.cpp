#include "plan/stream.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace pintle::plan {
namespace {

/// Gaps below the top, by address and by size.
class Gaps {
 public:
  explicit Gaps(std::uint64_t ground) : top_(ground) {}

  std::uint64_t take(std::uint64_t size, std::uint64_t alignment) {
    auto gap = by_size_.lower_bound({size, 0});
    for (int tries = 0; gap != by_size_.end() && tries < most_tries; ++gap, ++tries) {
      const auto [room, begin] = *gap;
      const std::uint64_t place = (begin + alignment - 1) & ~(alignment - 1);
      if (place - begin <= room - size) return cut(begin, room, place, size);
    }
    // Alignment may rule out the tightest gaps; this gap is surely large enough.
    gap = by_size_.lower_bound({size + alignment - 1, 0});
    if (gap != by_size_.end()) {
      const auto [room, begin] = *gap;
      return cut(begin, room, (begin + alignment - 1) & ~(alignment - 1), size);
    }
    return on_top(size, alignment);
  }

  void give_back(std::uint64_t begin, std::uint64_t size) {
    const auto next = by_begin_.lower_bound(begin);
    if (next != by_begin_.begin()) {
      const auto [other, room] = *std::prev(next);
      if (other + room == begin) remove(other, room), begin = other, size += room;
    }
    const auto after = by_begin_.find(begin + size);
    if (after != by_begin_.end()) {
      const auto [other, room] = *after;
      remove(other, room);
      size += room;
    }
    if (begin + size == top_) top_ = begin;
    else add(begin, size);
  }

 private:
  static constexpr int most_tries = 8;

  void add(std::uint64_t begin, std::uint64_t size) {
    if (size == 0) return;
    by_begin_.emplace(begin, size);
    by_size_.emplace(size, begin);
  }
  void remove(std::uint64_t begin, std::uint64_t size) {
    by_begin_.erase(begin);
    by_size_.erase({size, begin});
  }
  std::uint64_t cut(std::uint64_t begin, std::uint64_t room, std::uint64_t place, std::uint64_t size) {
    remove(begin, room);
    add(begin, place - begin);
    add(place + size, begin + room - place - size);
    return place;
  }
  std::uint64_t on_top(std::uint64_t size, std::uint64_t alignment) {
    const std::uint64_t place = (top_ + alignment - 1) & ~(alignment - 1);
    const std::uint64_t begin = std::exchange(top_, place + size);
    add(begin, place - begin);
    return place;
  }

  std::map<std::uint64_t, std::uint64_t> by_begin_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;
  std::uint64_t top_;
};

}  // namespace

void place_in_time(const Model& model, const std::vector<std::uint32_t>& blocks, std::uint64_t ground,
                   std::vector<std::uint64_t>& addresses) {
  auto order = blocks;
  // Where several begin together, the one that lives longest lies lowest.
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const Block &x = model.blocks[a], &y = model.blocks[b];
    return std::tuple(x.lower, y.upper, y.size, a) < std::tuple(y.lower, x.upper, x.size, b);
  });
  using End = std::pair<std::uint32_t, std::uint32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  Gaps gaps(ground);
  for (const std::uint32_t index : order) {
    const Block& block = model.blocks[index];
    for (; !ends.empty() && ends.top().first <= block.lower; ends.pop())
      gaps.give_back(addresses[ends.top().second], model.blocks[ends.top().second].size);
    addresses[index] = gaps.take(block.size, block.alignment);
    ends.emplace(block.upper, index);
  }
}

}  // namespace pintle::plan
