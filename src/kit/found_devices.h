// What backends answer of the devices that they have found.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/device_name.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// What a backend knows of its devices, in its order; each has an `info`.
template <class Device>
struct Found {
  std::vector<Device> devices;
  std::vector<Absence> absences;  ///< Where nothing is found, or something may be missing.
};

template <class Device>
[[nodiscard]] backend::Enumeration enumeration_of(Found<Device> found) {
  backend::Enumeration all;
  for (auto& device : found.devices) all.devices.push_back(std::move(device.info));
  all.absences = std::move(found.absences);
  return all;
}

/// The answer of `open` for a device that is not there.
[[nodiscard]] inline Error no_such_ordinal(std::string_view backend, std::uint32_t ordinal, std::size_t count) {
  return {Errc::not_found,
          fmt::format("Ordinal ({}) of [{}] is not below the number of devices ({}).", ordinal, backend, count)};
}

/// The device that `open` is asked for; `unavailable`, with the first reason, where there is none at all.
template <class Device>
[[nodiscard]] Result<Device> device_at(Found<Device> found, std::string_view backend, std::uint32_t ordinal) {
  if (found.devices.empty()) return Error(Errc::unavailable, found.absences.front().reason);
  if (ordinal >= found.devices.size()) return no_such_ordinal(backend, ordinal, found.devices.size());
  return std::move(found.devices[ordinal]);
}

/// Whether a driver calls the device so that the host's processor must be behind it: `best` never takes such a one.
[[nodiscard]] inline bool is_software_by_name(std::string_view name) {
  const std::string lower = base::lower(name);
  return std::ranges::any_of(std::array{"llvmpipe", "softpipe", "swrast", "software", "simulated"},
                             [&](const char* word) { return lower.contains(word); });
}

}  // namespace pintle::kit
