// What is known of a device as C has it, for one that is open and for one of a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capi/check.h"
#include "pintle/c/device.h"
#include "pintle/c/image.h"
#include "pintle/c/load.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::capi {

/// One of its formats or targets, which `what` names.
[[nodiscard]] Result<void> answer_text(const std::vector<std::string>& all, const char* what, std::size_t index,
                                       const char** out);
[[nodiscard]] Result<void> answer_absent_format(const DeviceInfo& info, std::size_t index,
                                                pintle_absent_format* format);
[[nodiscard]] Result<void> answer_capability(const DeviceInfo& info, std::uint32_t feature,
                                             pintle_capability* capability);
/// Those of every feature, as far as there is room, and their number.
[[nodiscard]] Result<void> answer_capabilities(const DeviceInfo& info, pintle_capability* first, std::size_t room,
                                               std::size_t* count);
[[nodiscard]] Result<void> answer_texel_support(const DeviceInfo& info, std::uint32_t texel,
                                                pintle_texel_support* support);
[[nodiscard]] Result<void> answer_image_limits(const DeviceInfo& info, pintle_image_limits* limits);

}  // namespace pintle::capi
