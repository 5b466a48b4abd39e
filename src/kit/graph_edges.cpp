#include "kit/graph_edges.h"

#include <algorithm>
#include <unordered_map>

#include "kit/accesses.h"

namespace pintle::kit {
namespace {

struct Touch {
  std::uint32_t command = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_write = false;
};

/// What commands have touched and no later write has covered.
class Touched {
 public:
  /// Calls `meet(command)` for each command that a touch of `memory` must be behind.
  template <class Meet>
  void meet(backend::MemoryId memory, const Touch& touch, Meet meet) const {
    const auto look = [&](const std::vector<Touch>& touches) {
      for (const Touch& other : touches) {
        if ((touch.is_write || other.is_write) && other.begin < touch.end && touch.begin < other.end)
          meet(other.command);
      }
    };
    if (const auto found = memories_.find(memory); found != memories_.end()) look(found->second);
    look_anywhere(slots_, touch, meet);
  }
  template <class Meet>
  void meet_anywhere(const Touch& touch, Meet meet) const {
    for (const auto& [memory, touches] : memories_) look_anywhere(touches, touch, meet);
    look_anywhere(slots_, touch, meet);
  }
  /// A write replaces the touches that it covers: it is behind them, and so is every command behind it.
  void add(backend::MemoryId memory, const Touch& touch) {
    std::vector<Touch>& touches = memories_[memory];
    if (touch.is_write)
      std::erase_if(touches, [&](const Touch& other) { return touch.begin <= other.begin && other.end <= touch.end; });
    touches.push_back(touch);
  }
  /// A write that may be anywhere has everything before it.
  void add_anywhere(const Touch& touch) {
    if (touch.is_write) {
      memories_.clear();
      slots_.clear();
    }
    slots_.push_back(touch);
  }

 private:
  template <class Meet>
  static void look_anywhere(const std::vector<Touch>& touches, const Touch& touch, Meet meet) {
    for (const Touch& other : touches) {
      if (touch.is_write || other.is_write) meet(other.command);
    }
  }

  std::unordered_map<backend::MemoryId, std::vector<Touch>> memories_;
  std::vector<Touch> slots_;
};

}  // namespace

GraphEdges::GraphEdges(const backend::Commands& list) {
  Touched touched;
  std::vector<std::uint32_t> found;
  for (std::uint32_t index = 0; index < list.commands.size(); ++index) {
    const auto touch_of = [&](const backend::Range& range, Access access) {
      return Touch{index, range.offset, range.offset + range.size, writes(access)};
    };
    const auto add = [&](std::uint32_t command) {
      if (command != index) found.push_back(command);
    };
    found.clear();
    for_each_range(list.commands[index], list.arguments, [&](const backend::Range& range, Access access) {
      if (range.slot != backend::no_slot) touched.meet_anywhere(touch_of(range, access), add);
      else touched.meet(range.memory, touch_of(range, access), add);
    });
    for_each_range(list.commands[index], list.arguments, [&](const backend::Range& range, Access access) {
      if (range.slot != backend::no_slot) touched.add_anywhere(touch_of(range, access));
      else touched.add(range.memory, touch_of(range, access));
    });
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    std::uint32_t level = 0;
    for (const std::uint32_t command : found) level = std::max(level, levels_[command] + 1);
    before_.insert(before_.end(), found.begin(), found.end());
    first_.push_back(before_.size());
    levels_.push_back(level);
  }
}

}  // namespace pintle::kit
