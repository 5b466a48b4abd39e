// The last use of a buffer or another object by each queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace pintle::core {

/// One queue's last use. Memory may be freed when every stamp is finished.
struct Stamp {
  std::uint64_t queue = 0;    // the queue's number, unique in its device's life
  std::uint64_t serial = 0;   // of the last use
  std::uint64_t written = 0;  // of the last use that writes; 0: none

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// One stamp for each queue, sorted by the queue's number. Finished stamps are dropped before more room is made, so the
/// size follows the queues that have work in flight, not those that there have ever been.
class Stamps {
 public:
  [[nodiscard]] const Stamp* find(std::uint64_t queue) const noexcept {
    const auto place = lower(queue);
    return place != stamps_.end() && place->queue == queue ? &*place : nullptr;
  }
  [[nodiscard]] Stamp* find(std::uint64_t queue) noexcept {
    const auto place = writable(queue);
    return place != stamps_.end() && place->queue == queue ? &*place : nullptr;
  }
  /// Makes room: the next `set` of a queue that is not here needs no memory.
  template <class IsFinished>
  void reserve_one(IsFinished is_finished) {
    reserve(1, is_finished);
  }
  /// Makes room for the next `count` such calls.
  template <class IsFinished>
  void reserve(std::size_t count, IsFinished is_finished) {
    if (stamps_.size() + count <= stamps_.capacity()) return;
    forget(is_finished);
    if (2 * (stamps_.size() + count) > stamps_.capacity()) stamps_.reserve(2 * (stamps_.size() + count));
  }
  /// Serials of one queue only rise.
  void set(std::uint64_t queue, std::uint64_t serial, bool writes = true) {
    const auto place = writable(queue);
    if (place == stamps_.end() || place->queue != queue) {
      stamps_.insert(place, {queue, serial, writes ? serial : 0});
      return;
    }
    place->serial = serial;
    if (writes) place->written = serial;
  }
  /// Undoes a `set`: `before` is what `find` gave before it, or nothing.
  void restore(std::uint64_t queue, const std::optional<Stamp>& before) noexcept {
    const auto place = writable(queue);
    if (place == stamps_.end() || place->queue != queue) return;
    if (before) *place = *before;
    else stamps_.erase(place);
  }
  /// Keeps the later of both stamps, for each queue.
  void merge(const Stamps& others) {
    for (const Stamp& other : others.stamps_) {
      const auto own = writable(other.queue);
      if (own == stamps_.end() || own->queue != other.queue) {
        stamps_.insert(own, other);
      } else {
        own->serial = std::max(own->serial, other.serial);
        own->written = std::max(own->written, other.written);
      }
    }
  }
  [[nodiscard]] bool empty() const noexcept { return stamps_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return stamps_.size(); }
  template <class IsFinished>
  void forget(IsFinished is_finished) noexcept {
    std::erase_if(stamps_, is_finished);
  }
  /// Forgets writes: an earlier owner of the memory made them.
  void forget_writes() noexcept {
    for (Stamp& stamp : stamps_) stamp.written = 0;
  }
  [[nodiscard]] auto begin() const noexcept { return stamps_.begin(); }
  [[nodiscard]] auto end() const noexcept { return stamps_.end(); }

 private:
  // Most objects have one stamp, so the first is looked at before the search.
  [[nodiscard]] std::vector<Stamp>::const_iterator lower(std::uint64_t queue) const noexcept {
    if (!stamps_.empty() && stamps_.front().queue >= queue) return stamps_.begin();
    return std::ranges::lower_bound(stamps_, queue, {}, &Stamp::queue);
  }
  [[nodiscard]] std::vector<Stamp>::iterator writable(std::uint64_t queue) noexcept {
    if (!stamps_.empty() && stamps_.front().queue >= queue) return stamps_.begin();
    return std::ranges::lower_bound(stamps_, queue, {}, &Stamp::queue);
  }

  std::vector<Stamp> stamps_;
};

}  // namespace pintle::core
