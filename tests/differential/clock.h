// Vector clocks: what an event certainly comes after.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pintle::differential {

/// How far each queue, and the host, has certainly come. Place 0 is the host.
class Clock {
 public:
  static constexpr int places = 16;

  [[nodiscard]] std::uint16_t at(int place) const noexcept { return ticks_[static_cast<std::size_t>(place)]; }
  void raise(int place, int tick) noexcept {
    auto& own = ticks_[static_cast<std::size_t>(place)];
    own = std::max(own, static_cast<std::uint16_t>(tick));
  }
  void join(const Clock& other) noexcept {
    for (std::size_t i = 0; i < places; ++i) ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
  }
  /// What both say.
  void meet(const Clock& other) noexcept {
    for (std::size_t i = 0; i < places; ++i) ticks_[i] = std::min(ticks_[i], other.ticks_[i]);
  }
  [[nodiscard]] bool covers(const Clock& other) const noexcept {
    for (std::size_t i = 0; i < places; ++i)
      if (ticks_[i] < other.ticks_[i]) return false;
    return true;
  }

 private:
  std::array<std::uint16_t, places> ticks_{};
};

}  // namespace pintle::differential
