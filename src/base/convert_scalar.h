// Conversion of one element at a time, for every pair of dtypes and every rule. `convert_lanes` must give the same
// bits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "pintle/convert.h"

namespace pintle::base {

enum class Writing : unsigned char { writes, only_checks };

/// Converts the checked arguments of `convert`; complex64 may only be the target of a real source. Returns the first
/// element that `Overflow::error` refuses. Elements before its chunk may have been written by then, so check first.
[[nodiscard]] std::optional<std::size_t> convert_scalar(std::span<std::byte> to, std::span<const std::byte> from,
                                                        const Convert& how, Writing writing);

/// The element as text, and what the target can hold: for messages.
[[nodiscard]] std::string element_text(std::span<const std::byte> from, std::size_t element, DType dtype);
[[nodiscard]] std::string limits_text(DType dtype);

}  // namespace pintle::base
