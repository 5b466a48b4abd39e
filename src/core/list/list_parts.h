// What a command list holds, for the code that submits and records it.
#pragma once

#include <cstddef>

#include "base/inside.h"
#include "pintle/backend/command.h"
#include "pintle/commands.h"

namespace pintle::core {

/// A copy between two devices: the place of its command, and what is to be copied.
struct ListCrossing {
  std::size_t command = 0;
  BufferView to;
  BufferView from;
};

[[nodiscard]] inline backend::Commands commands_of(const CommandList& list) noexcept {
  return {Inside::commands(list), Inside::arguments(list)};
}

/// Its commands go now; what they own of the caller's is left.
inline void clear_commands(CommandList& list) noexcept {
  Inside::commands(list) = {};
  Inside::arguments(list) = {};
  Inside::host_runs(list) = {};
  Inside::held(list) = {};
}

}  // namespace pintle::core
