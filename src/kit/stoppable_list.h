// A list whose host calls can be switched off while a device has it.
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>
#include <variant>
#include <vector>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// Moving it does not move what `view` has shown. It lives until the list is done, or the device is gone.
class StoppableList {
 public:
  /// Host calls of `list` do nothing once `is_stopped` is true.
  StoppableList(const backend::Commands& list, const std::atomic<bool>& is_stopped)
      : arguments_(list.arguments), original_(list.commands) {
    if (std::ranges::none_of(list.commands, is_call)) return;
    commands_.assign(list.commands.begin(), list.commands.end());
    gates_.reserve(commands_.size());
    for (backend::Command& command : commands_) {
      if (!is_call(command)) continue;
      gates_.push_back({&is_stopped, std::get<backend::HostCall>(command.operation)});
      command.operation = backend::HostCall{&StoppableList::run, &gates_.back()};
    }
  }

  [[nodiscard]] backend::Commands view() const noexcept {
    return {commands_.empty() ? original_ : std::span<const backend::Command>(commands_), arguments_};
  }

 private:
  struct Gate {
    const std::atomic<bool>* is_stopped;
    backend::HostCall original;
  };

  static bool is_call(const backend::Command& command) noexcept {
    return std::holds_alternative<backend::HostCall>(command.operation);
  }
  static void run(void* state) {
    const auto& [is_stopped, original] = *static_cast<Gate*>(state);
    if (!*is_stopped) original.call(original.state);
  }

  std::span<const backend::Argument> arguments_;
  std::span<const backend::Command> original_;
  std::vector<backend::Command> commands_;
  std::vector<Gate> gates_;
};

}  // namespace pintle::kit
