// The signature that an entry point of WGSL says.
#pragma once

#include <string_view>

#include "pintle/entry.h"
#include "wgsl/unit.h"

namespace pintle::wgsl {

/// The entry that `spirv::match_entry` would accept, called as the entry point is: buffers by group and binding, and
/// behind them what comes by value, from the immediates or from the last uniform block. The error's text follows the
/// entry's name.
[[nodiscard]] Result<Entry> infer(const Unit& unit, const spirv::EntryPoint& entry);

}  // namespace pintle::wgsl
