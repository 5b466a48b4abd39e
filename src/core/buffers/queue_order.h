// Which submissions come after which submissions of other queues of the device, as far as their waits say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/buffers/stamps.h"

namespace pintle::core {

/// Edges between submissions. Within a queue each submission is behind the one before. An edge to a finished submission
/// says nothing any more, and such edges are dropped now and then.
class QueueOrder {
 public:
  /// Keeps edges from now on. Before the first question none is needed.
  void begin() noexcept { is_asked_ = true; }
  /// The next `count` edges need no memory.
  void reserve(std::size_t count) {
    if (is_asked_) edges_.reserve(std::max(edges_.size() + count, crowded_));
  }
  template <class IsFinished>
  void add(Stamp later, Stamp earlier, IsFinished is_finished) {
    if (!is_asked_) return;
    edges_.push_back({later, earlier});
    if (edges_.size() < crowded_) return;
    std::erase_if(edges_, [&](const Edge& edge) { return is_finished(edge.earlier); });
    crowded_ = 2 * edges_.size() + 64;
  }

  /// Whether `later`, and with it all later submissions of its queue, is behind `earlier`, directly or through others.
  [[nodiscard]] bool is_behind(Stamp later, Stamp earlier) const {
    std::vector<Stamp> known;  // the latest of each queue that `later` is behind
    known.push_back(later);
    for (std::size_t next = 0; next < known.size(); ++next) {
      if (known[next].queue == earlier.queue && known[next].serial >= earlier.serial) return true;
      const Stamp from = known[next];
      for (const Edge& edge : edges_) {
        if (edge.later.queue == from.queue && edge.later.serial <= from.serial && !covers(known, edge.earlier))
          known.push_back(edge.earlier);
      }
    }
    return false;
  }

 private:
  struct Edge {
    Stamp later, earlier;
  };

  [[nodiscard]] static bool covers(const std::vector<Stamp>& known, const Stamp& stamp) {
    return std::ranges::any_of(
        known, [&](const Stamp& each) { return each.queue == stamp.queue && each.serial >= stamp.serial; });
  }

  std::vector<Edge> edges_;
  std::size_t crowded_ = 64;
  bool is_asked_ = false;
};

}  // namespace pintle::core
