// The backends that the command looks at, each in a process of its own: a driver that crashes ends that process alone.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "pintle/error.h"

namespace pintle::cli {

/// Those that PINTLE_BACKENDS names, else all of this build.
[[nodiscard]] std::vector<std::string> chosen_backends();
/// The document with `key` that this command prints for `arguments`, with `backend` as the only one. The error's
/// message says how a process that printed none ended.
[[nodiscard]] Result<Json> ask_alone(const std::string& backend, const std::vector<std::string>& arguments,
                                     const char* key);
/// What to do about a backend whose process crashes.
[[nodiscard]] std::string next_step_without(const std::string& backend);

}  // namespace pintle::cli
