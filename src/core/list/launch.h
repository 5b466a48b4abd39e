// The checks of a launch that need its entry point and the device's limits alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/list/slot_rules.h"
#include "pintle/backend/command.h"
#include "pintle/commands.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::core {

/// The work-groups of a launch: each count at least 1 and within the limits. Work-items are rounded up to whole groups.
[[nodiscard]] Result<Grid> groups_of(const Extent& extent, const Grid& group_size, const Limits& limits);

/// Success where the slot's index is below the limit.
[[nodiscard]] Result<void> check_slot(Slot slot);

// These bind one argument of a kernel to its parameter.
[[nodiscard]] Result<void> bind_slot(backend::Argument& bound, const Parameter& parameter, Slot slot);
/// Checks that kind and dtype match.
[[nodiscard]] Result<void> bind_scalar(backend::Argument& bound, const Parameter& parameter, const ScalarValue& scalar);
/// Checks that kind and dtype match, and that size and offset suit the device.
[[nodiscard]] Result<void> bind_buffer(backend::Argument& bound, const Parameter& parameter, std::uint64_t incarnation,
                                       DType dtype, const backend::Range& range, const Limits& limits);
/// Checks that so many bytes by value suit the parameter.
[[nodiscard]] Result<void> check_value(const Parameter& parameter, std::uint64_t size);
/// Checks the kind, and that the memory is within the device's limit.
[[nodiscard]] Result<void> bind_local(backend::Argument& bound, const Parameter& parameter, Local local,
                                      const Limits& limits);

/// Checks what needs all arguments: shapes, and local memory in all. `first` is the place of the first argument in the
/// list. A buffer in a slot gets the size that its shape asks for; shapes that slots decide are added to `later`.
[[nodiscard]] Result<void> check_launch(const Entry& entry, std::span<backend::Argument> arguments, std::size_t first,
                                        std::vector<SlotShape>& later, std::uint64_t incarnation, const Limits& limits);

}  // namespace pintle::core
