// How far each queue of a device has come.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/buffers/object_table.h"
#include "core/buffers/stamps.h"
#include "core/time/signal_state.h"
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
    for (const Stamp& stamp : stamps) {
      if (!is_finished(stamp)) return false;
    }
    return true;
  }

 private:
  ObjectTable<QueueClock*> clocks_;
};

}  // namespace pintle::core
