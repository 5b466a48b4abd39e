// The names that a shared object gives to others.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pintle/error.h"

namespace pintle::base {

/// What a 64-bit ELF file defines for others to call or to find, in its order. `invalid_argument` for what is none of
/// this machine's byte order or is cut short, `unavailable` where it has no table of them.
[[nodiscard]] Result<std::vector<std::string>> elf_symbols(std::span<const std::byte> file);

}  // namespace pintle::base
