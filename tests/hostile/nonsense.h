// What devices() says of a broken driver, in a process under a hostile layer with the habit `nonsense`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/must.h"
#include "pintle/pintle.h"

namespace pintle::test {

/// The layer looks at the environment when it is asked, so each case sets its own nonsense before it asks.
inline DeviceList listed(const char* nonsense) {
  ::setenv("HOSTILE_NONSENSE", nonsense, 1);
  return must(devices());
}

inline std::vector<DeviceInfo> devices_of(std::string_view backend, const DeviceList& list) {
  std::vector<DeviceInfo> found;
  std::ranges::copy_if(list.devices, std::back_inserter(found),
                       [&](const DeviceInfo& info) { return info.backend == backend; });
  return found;
}

inline std::string why_absent(std::string_view backend, const DeviceList& list) {
  const auto absence = std::ranges::find(list.absences, backend, &Absence::backend);
  return absence == list.absences.end() ? "" : absence->reason;
}

/// A fill that is read back.
inline void expect_work(const Device& device) {
  const Buffer words = must(device.allocate(DType::u32, {4}));
  Queue queue = must(device.create_queue());
  must(queue.submit(CommandList{}.fill(words, 7U)));
  EXPECT_EQ(must(read<std::uint32_t>(queue, words)), (std::vector<std::uint32_t>{7, 7, 7, 7}));
}

}  // namespace pintle::test
