// Downloads on their way from staging memory to where the caller wants them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kit/host_access.h"

namespace pintle::kit {

/// Staged bytes that the host copies to their target when the device has written them.
struct Delivery {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::uint64_t size = 0;
};

/// Copies all, and empties the list. False where the device is being lost: then it touches nothing.
[[nodiscard]] inline bool deliver(std::vector<Delivery>& deliveries, HostAccess& host) {
  if (deliveries.empty()) return true;
  if (!host.enter()) return false;
  for (const Delivery& one : deliveries) std::memcpy(one.to, one.from, one.size);
  host.leave();
  deliveries.clear();
  return true;
}

}  // namespace pintle::kit
