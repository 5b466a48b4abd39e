// Names that select a device, whatever else is installed: for tables, logs and configuration files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pintle/info.h"

namespace pintle {

/// The id of each listed device by its name: "opencl:pocl" for "opencl:0". `open` takes both, but an ordinal shifts
/// when another driver is installed. A device that is alone in its backend keeps its own id, and so does one whose
/// driver and name have no word, nor two, that it alone has. Empty where host memory runs out. Any thread may call it;
/// it does not block.
[[nodiscard]] std::vector<std::string> ids_by_name(std::span<const DeviceInfo> devices) noexcept;

}  // namespace pintle
