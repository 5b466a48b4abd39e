// The caller's constants as a module has them.
#pragma once

#include <span>
#include <vector>

#include "pintle/backend/driver.h"
#include "pintle/error.h"
#include "spirv/kernel_code.h"
#include "spirv/module.h"

namespace pintle::spirv {

/// Gives a module's specialisation constants the values that the caller gives by name; `found` notes which names it
/// has. `invalid_argument` where a value does not fit the constant's type exactly, with both. Two constants of one id
/// that get different values are refused.
[[nodiscard]] Result<void> specialize(const Module& module, std::span<const backend::Constant> given,
                                      Specialization& specialization, std::vector<bool>& found);

}  // namespace pintle::spirv
