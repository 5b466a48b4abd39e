// The memory that a command touches, range by range.
#pragma once

#include <span>
#include <type_traits>
#include <variant>

#include "pintle/backend/command.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Calls `visit(range, access)` for each range of device memory that `command` names itself. Slots are not filled in. A
/// replay names no range. `arguments` are those of the whole list. Works on const and on mutable commands.
template <class AnyCommand, class AnyArgument, class Visit>
void for_each_range(AnyCommand& command, std::span<AnyArgument> arguments, Visit&& visit) {
  const auto launch = [&](const backend::Exec& exec) {
    for (auto& argument : arguments.subspan(exec.first_argument, exec.argument_count)) {
      if (argument.has_range()) visit(argument.range, argument.access);
    }
  };
  if (const auto* const exec = std::get_if<backend::Exec>(&command.operation)) return launch(*exec);
  const auto look = [&](auto& operation) {
    using T = std::remove_cvref_t<decltype(operation)>;
    if constexpr (std::is_same_v<T, backend::ExecIndirect>) {
      visit(operation.grid_at, Access::read);
      launch(operation.exec);
    }
    if constexpr (std::is_same_v<T, backend::Copy> || std::is_same_v<T, backend::CopyImage> ||
                  std::is_same_v<T, backend::Download>)
      visit(operation.from, Access::read);
    if constexpr (std::is_same_v<T, backend::Copy> || std::is_same_v<T, backend::CopyImage> ||
                  std::is_same_v<T, backend::Upload> || std::is_same_v<T, backend::Fill> ||
                  std::is_same_v<T, backend::Timestamp>) {
      visit(operation.to, Access::write);
    }
  };
  std::visit(look, command.operation);
}

/// The launch of a command, direct or indirect; null for any other. Works on const and on mutable commands.
template <class AnyCommand>
[[nodiscard]] auto* exec_of(AnyCommand& command) noexcept {
  auto* const exec = std::get_if<backend::Exec>(&command.operation);
  if (exec != nullptr) return exec;
  auto* const indirect = std::get_if<backend::ExecIndirect>(&command.operation);
  return indirect == nullptr ? exec : &indirect->exec;
}

/// Checks each launch of a list, before any of them starts, until one is refused.
template <class Check>
[[nodiscard]] Result<void> check_launches(const backend::Commands& list, Check check) {
  for (const backend::Command& command : list.commands) {
    if (const backend::Exec* const exec = exec_of(command)) PINTLE_TRY(check(*exec));
  }
  return {};
}

/// Calls `visit(host, access)` for the host memory of an upload (HostSource) or a download (HostTarget).
template <class AnyCommand, class Visit>
void for_each_host(AnyCommand& command, Visit&& visit) {
  if (auto* upload = std::get_if<backend::Upload>(&command.operation)) visit(upload->from, Access::read);
  if (auto* download = std::get_if<backend::Download>(&command.operation)) visit(download->to, Access::write);
}

}  // namespace pintle::kit
