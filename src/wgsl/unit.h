// What a WGSL text says of its entry points, in the words of spirv/module.h: bindings, constants, group sizes. A strict
// reader of declarations, no validator: the driver's own parser decides whether the text is right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"
#include "spirv/module.h"

namespace pintle::wgsl {

struct Unit {
  spirv::Module module;           ///< Its code is the text. Its constants' ids are places in `keys`.
  std::vector<std::string> keys;  ///< What a pipeline calls each `override`: its @id, or its name.
};

/// Reads the text, which the unit refers to. `invalid_argument` names line and column of what is no declaration.
[[nodiscard]] Result<Unit> read_unit(std::string_view text);

/// The text with every storage buffer as `read_write`, so that one buffer may be bound for reading and for writing.
[[nodiscard]] Result<std::string> with_writable_buffers(std::string_view text);

}  // namespace pintle::wgsl
