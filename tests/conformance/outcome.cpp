#include "conformance/outcome.h"

#include <array>
#include <cstddef>

namespace pintle::conformance {

std::string_view name(Outcome outcome) noexcept {
  constexpr std::array<std::string_view, 4> names{"passed", "failed", "skipped", "gap"};
  return names[static_cast<std::size_t>(outcome)];
}

}  // namespace pintle::conformance
