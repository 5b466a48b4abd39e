// A recording on a device of a driver, beside one launch by hand, as the budgets measure them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "bench/match.h"

namespace budgets {

class DevicePath {
 public:
  enum class Kind : std::uint8_t {
    launch,  ///< One launch, as by hand.
    slots,   ///< Launches around a command with a slot.
  };

  /// The first device whose driver's name begins so; ends the process with 77 where there is none.
  explicit DevicePath(std::string_view driver, Kind kind = Kind::launch);

  /// The measured call, then the one that ends the round.
  [[gnu::noinline]] void submit_ours();
  void wait_for_ours();
  [[gnu::noinline]] void submit_by_hand();
  void wait_by_hand();

 private:
  pintle::bench::Match match_;
  const Kind kind_;
  pintle::Buffer buffer_;
  pintle::Recording recording_;
  pintle::Point done_;
};

/// Rounds of one measurement, and those before it that fill every cache.
inline constexpr int device_rounds = 200, device_warm_up = 400;

}  // namespace budgets
