// Conversion one element at a time, every pair and every rule. What the lanes do must give the same bits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "pintle/convert.h"

namespace pintle::base {

enum class Writing : unsigned char { writes, only_checks };

/// The arguments of `convert`, which have been checked; complex64 only as the target of a real source. Returns the
/// first element that `Overflow::error` refuses: what stands before its chunk may have been written, so check first.
[[nodiscard]] std::optional<std::size_t> convert_scalar(std::span<std::byte> to, std::span<const std::byte> from,
                                                        const Convert& how, Writing writing);

/// The element as text, and what the target can hold: for messages.
[[nodiscard]] std::string element_text(std::span<const std::byte> from, std::size_t element, DType dtype);
[[nodiscard]] std::string limits_text(DType dtype);

}  // namespace pintle::base
