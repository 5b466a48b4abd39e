// The signals that an object's points name, where one timeline may follow another: the older ones stay.
#pragma once

#include <utility>

#include "capi/owned_handles.h"

namespace pintle::capi {

/// One thread at a time. The handles end with the object.
class Timelines {
 public:
  /// Makes room for the next timeline, so that `signal_of` cannot fail.
  [[nodiscard]] Result<void> prepare() {
    if (spare_.id != 0) return {};
    PINTLE_ASSIGN(made, signals_.add(Point().signal(), true));
    spare_ = made;
    return {};
  }

  /// The signal of a point that was just made. The values of one timeline rise: one that does not is of the next.
  [[nodiscard]] pintle_signal signal_of(const Point& point) noexcept {
    if (point.value() <= last_) {
      current_ = std::exchange(spare_, {});
      Kind<pintle_signal>::table.find(current_.id)->signal = point.signal();
    }
    last_ = point.value();
    return current_;
  }

 private:
  OwnedHandles<pintle_signal> signals_;
  pintle_signal spare_{};  // of no timeline yet
  pintle_signal current_{};
  std::uint64_t last_ = ~std::uint64_t{0};  // the first point is of the first timeline
};

}  // namespace pintle::capi
