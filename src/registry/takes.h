// What a device's description alone decides: which code the device can run.
#pragma once

#include <span>
#include <string>

#include "io/pack.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::registry {

/// Why the device cannot run the entry; empty where it can.
[[nodiscard]] std::string refusal_of(const Entry& entry, const DeviceInfo& info);
/// The same of the first entry that the device cannot run; empty where it can run all.
[[nodiscard]] std::string refusal_of_entries(std::span<const Entry> entries, const DeviceInfo& info);
/// Whether the device can run any of them.
[[nodiscard]] bool has_fitting(std::span<const Entry> entries, const DeviceInfo& info);
/// Why the device does not take code that was built for the variant's target; empty where it does.
[[nodiscard]] std::string refusal_of_target(const io::PackVariant& variant, const DeviceInfo& info);

/// Whether the device takes a variant of the pack. `unsupported` has the reason for each variant.
[[nodiscard]] Result<void> takes(const DeviceInfo& device, const io::Pack& pack);

}  // namespace pintle::registry
