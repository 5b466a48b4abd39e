// The sizes and numbers of types, out of a module's tables.
#pragma once

#include <cstdint>
#include <optional>

#include "spirv/block.h"
#include "spirv/kernel_code.h"
#include "spirv/tables.h"

namespace pintle::spirv {

/// The block that a struct lays out by its decorations. Pointers are integers of 8 bytes.
[[nodiscard]] Block block_of(const Tables& tables, std::uint32_t type);

/// Bytes of a type without decorations, whose parts lie one behind the other, each at a multiple of its own alignment.
/// Empty where an operation on constants decides the size that is not known here.
[[nodiscard]] std::optional<std::uint64_t> packed_size(const Tables& tables, std::uint32_t type,
                                                       const Specialization& specialization);

}  // namespace pintle::spirv
