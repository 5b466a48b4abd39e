// What `pintle --version` says.
#pragma once

#include <string>

namespace pintle::cli {

/// Version, commit where it is known, and the backends and layers that were built in.
[[nodiscard]] std::string version_text();

}  // namespace pintle::cli
