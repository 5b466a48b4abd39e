// A constant as text that C and its relatives read back exactly.
#pragma once

#include <string>

#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Numbers of at most 64 bits. Integers can be used in `#if`; floats are hexadecimal. `unsupported` for dtypes that
/// have no type in C.
[[nodiscard]] Result<std::string> c_literal(const backend::Constant& constant);

}  // namespace pintle::kit
