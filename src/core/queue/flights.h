// A queue's submissions between acceptance and end, by serial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/queue/flight.h"

namespace pintle::core {

/// A ring of flights. Flight `serial` lies at `serial` mod the size, a power of two, so the flights in it are of
/// neighbouring serials. A place that is used again keeps the memory of its vectors; a queue that has found its size
/// allocates nothing for a flight.
class Flights {
 public:
  Flights() : ring_(first_size) {}

  [[nodiscard]] Flight& operator[](std::uint64_t serial) noexcept { return ring_[serial & mask_]; }
  /// Makes room for `count` flights behind `last`, where those up to `reached` are over. The others move.
  void make_room(std::uint64_t reached, std::uint64_t last, std::size_t count) {
    const std::size_t needed = last - reached + count;
    if (needed <= ring_.size()) return;
    std::size_t size = ring_.size();
    while (size < needed) size *= 2;
    std::vector<Flight> larger(size);
    for (std::uint64_t serial = reached; serial++ != last;) larger[serial & (size - 1)] = std::move((*this)[serial]);
    ring_ = std::move(larger);
    mask_ = size - 1;
  }

 private:
  static constexpr std::size_t first_size = 128;  // small bursts allocate nothing after the first

  std::vector<Flight> ring_;
  std::uint64_t mask_ = first_size - 1;
};

}  // namespace pintle::core
