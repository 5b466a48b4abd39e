// One recorded launch of an empty kernel on a device of a driver, beside the same by hand, as the budgets measure them.
#pragma once

#include <memory>
#include <string_view>

#include "bench/match.h"

namespace budgets {

class DevicePath {
 public:
  /// The first device whose driver's name begins so; ends the process with 77 where there is none.
  explicit DevicePath(std::string_view driver);

  /// The measured call, then the one that ends the round.
  [[gnu::noinline]] void submit_ours();
  void wait_for_ours();
  [[gnu::noinline]] void submit_by_hand();
  void wait_by_hand();

 private:
  pintle::bench::Match match_;
  pintle::Recording recording_;
  pintle::Point done_;
};

/// Rounds of one measurement, and those before it that fill every cache.
inline constexpr int device_rounds = 200, device_warm_up = 400;

}  // namespace budgets
