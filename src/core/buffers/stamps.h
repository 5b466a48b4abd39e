// The last use of something by each queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pintle::core {

/// (queue, serial): memory may be freed when every stamp is finished. A queue that is gone has finished everything.
struct Stamp {
  std::uint64_t queue = 0;  // the queue's number, unique in its incarnation
  std::uint64_t serial = 0;
};

class Stamps {
 public:
  /// Serials of one queue only rise.
  void set(std::uint64_t queue, std::uint64_t serial) {
    for (Stamp& stamp : stamps_) {
      if (stamp.queue == queue) {
        stamp.serial = serial;
        return;
      }
    }
    stamps_.push_back({queue, serial});
  }
  /// The later of both, for each queue.
  void merge(const Stamps& others) {
    for (const Stamp& other : others.stamps_) {
      const auto own = std::ranges::find(stamps_, other.queue, &Stamp::queue);
      if (own == stamps_.end()) stamps_.push_back(other);
      else own->serial = std::max(own->serial, other.serial);
    }
  }
  [[nodiscard]] bool empty() const noexcept { return stamps_.empty(); }
  template <class IsFinished>
  void forget(IsFinished is_finished) {
    std::erase_if(stamps_, is_finished);
  }
  [[nodiscard]] auto begin() const noexcept { return stamps_.begin(); }
  [[nodiscard]] auto end() const noexcept { return stamps_.end(); }

 private:
  std::vector<Stamp> stamps_;
};

}  // namespace pintle::core
