// From the words of a module to its tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pintle/error.h"
#include "spirv/tables.h"

namespace pintle::spirv {

/// Reads the module that begins at word `begin`. `end` becomes the word behind it: the next module's first, or the end.
[[nodiscard]] Result<Tables> read_module(std::span<const std::uint32_t> words, std::size_t begin, std::size_t& end);

}  // namespace pintle::spirv
