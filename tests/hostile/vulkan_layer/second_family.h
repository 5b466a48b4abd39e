// What the parts of the habit `second_family` share.
#pragma once

#include <optional>
#include <span>

#include "functions.h"

namespace pintle::hostile {

/// A device that has a queue of the family.
struct Split {
  std::uint32_t family = 0;   ///< One beyond the driver's.
  std::uint32_t carrier = 0;  ///< The driver's, whose first queue does the work.
};

/// What parts of images are multiples of, on the queue of the family.
inline constexpr VkExtent3D least_part{16, 16, 8};

/// Empty for a device that has none.
[[nodiscard]] std::optional<Split> split_of(VkDevice device);

/// Puts the functions into the table that end the process by name where a command is none of the family's.
void install_family_rules(Functions& table);
/// Ends the process where commands were recorded for another family than the queue's.
void check_commands(std::uint32_t family, std::span<const VkCommandBuffer> commands);
/// Ends the process where a family that only copies lacks a stage.
void check_stages(VkPipelineStageFlags2 stages, const char* call);

}  // namespace pintle::hostile
