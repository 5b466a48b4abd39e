// The last use of a buffer or another object by each queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pintle::core {

/// One queue's last use. Memory may be freed when every stamp is finished.
struct Stamp {
  std::uint64_t queue = 0;   // the queue's number, unique in its device's life
  std::uint64_t serial = 0;  // of the last use

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
    if (stamps_.size() < stamps_.capacity()) return;
    forget(is_finished);
    if (2 * (stamps_.size() + 1) > stamps_.capacity()) stamps_.reserve(2 * (stamps_.size() + 1));
  }
  /// Serials of one queue only rise.
  void set(std::uint64_t queue, std::uint64_t serial) {
    const auto place = writable(queue);
    if (place == stamps_.end() || place->queue != queue) stamps_.insert(place, {queue, serial});
    else place->serial = serial;
  }
  /// Whether `is_finished` accepts each stamp. Begins where the last walk was refused: work that ends in any order
  /// costs all walks together little more than one.
  template <class IsFinished>
  [[nodiscard]] bool are_all(IsFinished is_finished) const noexcept {
    for (std::size_t left = stamps_.size(); left > 0; --left) {
      if (refused_ >= stamps_.size()) refused_ = 0;
      if (!is_finished(stamps_[refused_])) return false;
      ++refused_;
    }
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return stamps_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return stamps_.size(); }
  template <class IsFinished>
  void forget(IsFinished is_finished) noexcept {
    std::erase_if(stamps_, is_finished);
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
  mutable std::size_t refused_ = 0;  // a hint, which may be wrong: where the last walk ended
};

}  // namespace pintle::core
