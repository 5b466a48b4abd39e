// The symbols that a shared object exports.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pintle/error.h"

namespace pintle::base {

/// The symbols that a 64-bit ELF file defines for others, in the file's order. `invalid_argument` for a file that is no
/// ELF file of this machine's byte order or is cut short, `unavailable` for a file without a symbol table.
[[nodiscard]] Result<std::vector<std::string>> elf_symbols(std::span<const std::byte> file);

}  // namespace pintle::base
