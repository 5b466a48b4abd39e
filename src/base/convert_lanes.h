// Conversions between f32 and the narrow floating dtypes, many elements at once, by integer operations only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pintle/convert.h"

namespace pintle::base {

/// True for the dtypes and rules that `convert_lanes` takes.
[[nodiscard]] bool has_lanes(const Convert& how) noexcept;

/// Converts the checked arguments of `convert`, for which `has_lanes` is true. Overflow::error counts as infinity.
void convert_lanes(std::span<std::byte> to, std::span<const std::byte> from, const Convert& how) noexcept;

/// True when Overflow::error refuses none of these elements.
[[nodiscard]] bool lanes_fit(std::span<const std::byte> from, const Convert& how) noexcept;

/// Instruction sets that this processor has and this code was compiled for, best first. For tests.
[[nodiscard]] std::vector<std::int64_t> lane_targets();
[[nodiscard]] std::string_view lane_target_name(std::int64_t target) noexcept;
/// Makes the whole process use this instruction set from now on; 0: the best. For tests: no conversion runs meanwhile.
void use_lane_target(std::int64_t target);

}  // namespace pintle::base
