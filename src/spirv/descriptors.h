// Descriptors beside the buffers, texels, images and samplers that a signature declares.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"
#include "spirv/kernel_code.h"
#include "spirv/places.h"

namespace pintle::spirv {

/// Whether the host binds something for the parameter.
[[nodiscard]] bool is_bound(const Parameter& parameter) noexcept;
[[nodiscard]] bool is_uniform(const Place& place) noexcept;

/// Compares what the place has with what is declared: a buffer, an image of so many dimensions and such texels, a
/// texel buffer, a sampler. The error's text follows the entry's name and has both sides.
[[nodiscard]] Result<void> check_kind(const Place& place, const Parameter& parameter);

/// The places of images, each with the place of a sampler that reads it.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> sampled_in(std::span<const Place> places,
                                                                          const EntryPoint& entry);

/// `unsupported` names what there is more of than the device binds, with both numbers.
[[nodiscard]] Result<void> check_limits(const KernelLimits& limits, const KernelInterface& interface);

}  // namespace pintle::spirv
