// The values of constants, across dtypes.
#pragma once

#include <cstdint>
#include <optional>

#include "pintle/entry.h"

namespace pintle::base {

/// The value of an integer, or of a float that is whole, where it is not negative; empty for any other.
[[nodiscard]] std::optional<std::uint64_t> whole_number(const ScalarValue& value) noexcept;

}  // namespace pintle::base
