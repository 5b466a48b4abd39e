// An ordinary list, made from a recording by filling its slots.
#pragma once

#include <span>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/error.h"

namespace pintle::kit {

/// A list that owns its commands and arguments.
struct OwnedList {
  std::vector<backend::Command> commands;
  std::vector<backend::Argument> arguments;

  [[nodiscard]] backend::Commands view() const noexcept { return {commands, arguments}; }
};

/// `list` with every slot of its commands replaced by its binding. `invalid_argument` names a slot whose binding is
/// missing, of the wrong kind or too small. May throw std::bad_alloc.
[[nodiscard]] Result<OwnedList> resolve(const backend::Commands& list, std::span<const backend::Binding> bindings);

}  // namespace pintle::kit
