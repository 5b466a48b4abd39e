// What backends answer of the devices that they have found.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// `found` has devices, each with an `info`, and absences.
template <class Found>
[[nodiscard]] backend::Enumeration enumeration_of(Found found) {
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

}  // namespace pintle::kit
