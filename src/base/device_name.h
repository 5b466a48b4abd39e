// Names that select a device among those of its backend: `opencl:pocl`, `vulkan:llvmpipe`, `cuda:h100`. An ordinal
// shifts when another driver is installed; a name does not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/info.h"

namespace pintle::base {

/// "llvmpipe-llvm-15-0-6-256-bits" of "llvmpipe (LLVM 15.0.6, 256 bits)": lower-case letters and digits, with "-" for
/// whatever is between them.
[[nodiscard]] std::string device_slug(std::string_view text);

/// Which of the devices of one backend `word` selects: the one that is called exactly so, else those whose uuid, or any
/// word of whose name or driver, begins with it. More than one: the word is not enough.
[[nodiscard]] std::vector<std::size_t> devices_called(std::string_view word, std::span<const DeviceInfo> devices);

/// The id of each device by its name: "opencl:pocl" for "opencl:0". Its own id where it is alone, or where no word of
/// its driver or name is its alone. `devices` are those of one or of many backends.
[[nodiscard]] std::vector<std::string> ids_by_name(std::span<const DeviceInfo> devices);

}  // namespace pintle::base
