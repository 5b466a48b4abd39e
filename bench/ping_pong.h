// The reference of the dispatch figures: two pinned threads that pass a number back and forth.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "bench/measure.h"
#include "bench/partner.h"

namespace pintle::bench {

class PingPong {
 public:
  explicit PingPong(const std::array<int, 2>& processors) : processor_(processors[0]), partner_(processors[1]) {}

  /// Both sides poll without a pause. Each sample is the mean of `batch` round trips.
  void hot(Samples& samples, std::uint32_t batches, std::uint32_t batch);
  /// Both sides sleep 1 ms before each round trip, and wait with std::atomic::wait. Each sample is one round trip.
  void idle(Samples& samples, std::uint32_t trips);

 private:
  struct alignas(128) Line {
    std::atomic<std::uint64_t> value{0};
  };

  const int processor_;
  Line ping_;
  Line pong_;
  Partner partner_;  // last: it ends first
};

}  // namespace pintle::bench
