// Modules of SPIR-V, and the macros that tell a shader its group.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

/// The module with its one entry point renamed. `build_failed` when `module` is no module with one compute entry point.
[[nodiscard]] Result<Code> with_entry_name(const Code& module, std::string_view name);

/// The names of the entry points of modules that stand back to back. `invalid_argument` when `code` has no such
/// modules.
[[nodiscard]] Result<std::vector<std::string>> entry_names(std::span<const std::byte> code);

/// PINTLE_GROUP_X=16 and so on.
[[nodiscard]] std::vector<std::string> group_macros(const Entry& entry);

}  // namespace pintle::cli
