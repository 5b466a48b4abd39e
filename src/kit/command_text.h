// A command in words.
#pragma once

#include <span>
#include <string>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// A JSON object: {"operation":"exec","touches":["read buffer 3 [0, +64)"],"grid":"4x1x1"}. `arguments` are those of
/// the list.
[[nodiscard]] std::string text_of(const backend::Command& command, std::span<const backend::Argument> arguments);

}  // namespace pintle::kit
