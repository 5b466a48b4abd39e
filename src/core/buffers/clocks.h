// How far each queue of a device has come, and which submissions come after which of other queues.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/buffers/stamps.h"
#include "core/time/signal_state.h"
#include "kit/object_table.h"
#include "pintle/backend/command.h"

namespace pintle::core {

/// How far one queue is. Serials up to `reached` are finished, the backend has those up to `native`, and those up to
/// `last` are accepted.
struct QueueClock {
  backend::QueueId queue = backend::QueueId::none;
  std::uint64_t reached = 0;
  std::atomic<std::uint64_t> native{0};  // written by the thread that submits, read by all
  std::uint64_t last = 0;
  std::shared_ptr<SignalState> timeline{};  // its values are serials
};

/// A submission that is not finished.
struct Unfinished {
  const QueueClock& clock;
  std::uint64_t serial = 0;

  [[nodiscard]] Point point() const noexcept { return SignalState::point(clock.timeline, serial); }
};

/// Queues by number. The device's lock guards it.
class Clocks {
 public:
  explicit Clocks(std::uint32_t first_epoch) noexcept : clocks_(first_epoch) {}

  [[nodiscard]] std::uint64_t add(QueueClock& clock) { return clocks_.insert(&clock); }
  void remove(std::uint64_t queue) noexcept { clocks_.drop(queue); }
  /// Null when the queue has gone.
  [[nodiscard]] const QueueClock* find(std::uint64_t queue) const noexcept {
    QueueClock* const* const found = clocks_.find(queue);
    return found == nullptr ? nullptr : *found;
  }

  /// The submission to wait for where a stamp has `serial`; nothing when it is finished. A queue that has gone has
  /// finished everything. A serial beyond the last is that of a dropped submission; its stamp has hidden the stamp of
  /// an earlier submission, which may still run.
  [[nodiscard]] std::optional<Unfinished> unfinished(std::uint64_t queue, std::uint64_t serial) const noexcept {
    const QueueClock* const clock = find(queue);
    if (clock == nullptr) return std::nullopt;
    const std::uint64_t counts = std::min(serial, clock->last);
    return counts > clock->reached ? std::optional(Unfinished{*clock, counts}) : std::nullopt;
  }
  [[nodiscard]] bool is_finished(std::uint64_t queue, std::uint64_t serial) const noexcept {
    return !unfinished(queue, serial);
  }
  [[nodiscard]] bool is_finished(const Stamp& stamp) const noexcept { return is_finished(stamp.queue, stamp.serial); }
  [[nodiscard]] bool is_finished(const Stamps& stamps) const noexcept {
    return stamps.are_all([this](const Stamp& stamp) { return is_finished(stamp); });
  }

 private:
  kit::ObjectTable<QueueClock*> clocks_;
};

/// The edges between submissions, as far as their waits say. Within a queue each submission is behind the one before.
/// An edge to a finished submission says nothing any more, and such edges are dropped now and then.
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
