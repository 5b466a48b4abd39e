// The values of constants once a module is specialised.
#pragma once

#include <cstdint>
#include <optional>

#include "spirv/kernel_code.h"
#include "spirv/tables.h"

namespace pintle::spirv {

/// The value of a boolean or an integer of at most 32 bits, as its type has it: sign-extended or zero-extended. Empty
/// where the id is no such constant, or comes from an operation that is not known here.
[[nodiscard]] std::optional<std::int64_t> fold(const Tables& tables, std::uint32_t id,
                                               const Specialization& specialization);

}  // namespace pintle::spirv
