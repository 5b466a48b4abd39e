// The table of commands, which CMake writes from the files of the folder `commands`.
#pragma once

#include <span>

#include "cli/command.h"

namespace pintle::cli {

[[nodiscard]] std::span<const AddCommand> commands() noexcept;

}  // namespace pintle::cli
