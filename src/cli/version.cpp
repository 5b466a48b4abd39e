#include "cli/version.h"

#include <fmt/format.h>

#include "pintle/version.h"

namespace pintle::cli {

std::string version_text() {
  constexpr std::string_view commit = PINTLE_COMMIT;
  return fmt::format("pintle {}{}\nbackends: {}\nlayers: {}", version,
                     commit.empty() ? "" : fmt::format(" ({})", commit), PINTLE_BACKENDS, PINTLE_LAYERS);
}

std::string_view backend_list() noexcept { return PINTLE_BACKENDS; }

}  // namespace pintle::cli
