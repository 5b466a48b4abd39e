// The extent that a shared object's headers claim.
#pragma once

#include <cstddef>
#include <span>

#include "pintle/error.h"

namespace pintle::base {

/// `invalid_argument` where a header of an ELF file names bytes beyond the file's end: the file is cut short, and a
/// process that maps it would end by SIGBUS. The message names the header, its range and the file's size. A file that
/// is no ELF file passes: every loader refuses it by itself.
[[nodiscard]] Result<void> check_elf(std::span<const std::byte> file);

}  // namespace pintle::base
