// What `pintle --version` says.
#pragma once

#include <string>

namespace pintle::cli {

/// Version, commit where it is known, and the backends that were built in.
[[nodiscard]] std::string version_text();

}  // namespace pintle::cli
