// Finds the clang that the machine has.
#pragma once

#include <string>

#include "pintle/error.h"

namespace pintle::opencl_c {

/// The path of the newest clang from version `least` on. `unavailable` has the names tried.
[[nodiscard]] Result<std::string> find_clang(unsigned least);

}  // namespace pintle::opencl_c
