// A constant as text that C and its relatives read back exactly.
#pragma once

#include <string>

#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Numbers of at most 64 bits, usable in `#if` where they are integers; floats in hexadecimal. `unsupported` for dtypes
/// that C has no type for.
[[nodiscard]] Result<std::string> c_literal(const backend::Constant& constant);

}  // namespace pintle::kit
