// What the plug-in reads: a file "entries" beside the source.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pintle/entry.h"

namespace pintle::opencl_c {

/// A line for the path of the built-in functions, and one for each entry, its words between tabulators: name, group
/// size, items of a subgroup (0: any), bytes of local memory, and each parameter as
/// "KIND|NAME|DECLARED|ACCESS|BYTES|TYPES|MEMBERS". Types are those of OpenCL C that fit, between "/"; an image has the
/// number of its dimensions and its texel for bytes and types; members are "NAME,DTYPE,KINDS,BYTES,LANES,OFFSET",
/// between ";".
[[nodiscard]] std::string job_text(std::string_view builtins, std::span<const Entry> entries);

}  // namespace pintle::opencl_c
