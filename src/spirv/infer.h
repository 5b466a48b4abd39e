// The signature that an entry point's own code says.
#pragma once

#include <string_view>

#include "pintle/entry.h"
#include "pintle/error.h"
#include "spirv/module.h"

namespace pintle::spirv {

/// The entry that `match_entry` would accept, called `name`: buffers, texel buffers, images and samplers by set,
/// binding and element, and behind them what comes by value. A buffer of numbers of one type has that dtype, any other
/// is u8. The error's text follows the entry's name: `unsupported` for what no signature can declare,
/// `invalid_argument` for what the code does not tell. May throw std::bad_alloc.
[[nodiscard]] Result<Entry> infer(const Module& module, const EntryPoint& entry, std::string_view name);

}  // namespace pintle::spirv
