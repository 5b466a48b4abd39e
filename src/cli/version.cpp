#include "cli/version.h"

#include <fmt/format.h>

#include <string_view>

#include "pintle/version.h"

namespace pintle::cli {

std::string version_text() {
  constexpr std::string_view commit = PINTLE_COMMIT;
  return fmt::format("pintle {}{}\nbackends: {}\nlayers: {}", version,
                     commit.empty() ? "" : fmt::format(" ({})", commit), PINTLE_BACKENDS, PINTLE_LAYERS);
}

}  // namespace pintle::cli
