// Launches whose bindings are moved to places where a step outside is noticed.
#pragma once

#include <functional>
#include <span>

#include "kit/binding_groups.h"
#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Runs commands of the device to their end.
using RunCommands = std::function<Result<void>(const backend::Commands&)>;

/// One launch, `command`, of a list with these arguments.
struct MovedLaunch {
  backend::Device& device;
  const LoadedProgram& program;
  const backend::Command& command;
  std::span<const backend::Argument> arguments;  ///< The list's.
};

/// Runs the launch on copies between guard pages, where kernels run in this process. The error of a step outside names
/// it; what the kernel has written inside its bindings is kept.
[[nodiscard]] Result<void> launch_between_guards(const MovedLaunch& launch, const RunCommands& run);
/// Runs the launch on copies between patterns, on any device: writes within 4,096 bytes are noticed.
[[nodiscard]] Result<void> launch_between_patterns(const MovedLaunch& launch, const RunCommands& run);

}  // namespace pintle::kit
