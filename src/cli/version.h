// The version and the parts of this build.
#pragma once

#include <string>
#include <string_view>

namespace pintle::cli {

/// What `pintle --version` says: version, commit where it is known, and the backends and layers that were built in.
[[nodiscard]] std::string version_text();
/// The backends that were built in: "cpu, null".
[[nodiscard]] std::string_view backend_list() noexcept;

}  // namespace pintle::cli
