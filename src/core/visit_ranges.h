// Every range of device memory that a command names.
#pragma once

#include <span>
#include <type_traits>
#include <variant>

#include "pintle/backend/command.h"

namespace pintle::core {

/// Calls `visit(range, access)` for each range of `command`; ranges are const where the command and its arguments are.
template <class Command, class Argument, class Visit>
  requires std::is_same_v<std::remove_const_t<Command>, backend::Command>
void visit_ranges(Command& command, std::span<Argument> arguments, Visit&& visit) {
  const auto exec = [&](const backend::Exec& launch) {
    for (Argument& argument : arguments.subspan(launch.first_argument, launch.argument_count)) {
      if (argument.kind != backend::Argument::Kind::scalar) visit(argument.range, argument.access);
    }
  };
  std::visit(
      [&](auto& operation) {
        using T = std::remove_cvref_t<decltype(operation)>;
        if constexpr (std::is_same_v<T, backend::Copy>) {
          visit(operation.to, Access::write);
          visit(operation.from, Access::read);
        } else if constexpr (std::is_same_v<T, backend::Fill> || std::is_same_v<T, backend::Upload> ||
                             std::is_same_v<T, backend::Timestamp>) {
          visit(operation.to, Access::write);
        } else if constexpr (std::is_same_v<T, backend::Download>) {
          visit(operation.from, Access::read);
        } else if constexpr (std::is_same_v<T, backend::Exec>) {
          exec(operation);
        } else if constexpr (std::is_same_v<T, backend::ExecIndirect>) {
          visit(operation.grid_at, Access::read);
          exec(operation.exec);
        } else {
          static_assert(std::is_same_v<T, backend::HostCall> || std::is_same_v<T, backend::Replay>);
        }
      },
      command.operation);
}

}  // namespace pintle::core
