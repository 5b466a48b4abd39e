// The device under test, and the same device behind its own API.
#pragma once

#include <memory>
#include <string>

#include "bench/direct/direct.h"
#include "bench/rig.h"

namespace pintle::bench {

/// Where the API itself finds the device. `not_found` for a device that is not listed.
[[nodiscard]] Result<Target> target_of(const DeviceInfo& device);

struct Match {
  Rig rig;
  std::unique_ptr<Direct> direct;
  std::string unfit;  ///< Why there is nothing to measure; empty when there is.

  /// An error is a device that failed, or a reference that does not find it.
  [[nodiscard]] static Result<Match> open(std::string_view id);
};

}  // namespace pintle::bench
