// What a shared object says of its own extent.
#pragma once

#include <cstddef>
#include <span>

#include "pintle/error.h"

namespace pintle::base {

/// `invalid_argument` where a header of an ELF file names bytes beyond its end: the file is cut short, and a process
/// that maps it ends by SIGBUS. The message names the header, its range and the size there is. What is no ELF file at
/// all passes: every loader says so itself.
[[nodiscard]] Result<void> check_elf(std::span<const std::byte> file);

}  // namespace pintle::base
