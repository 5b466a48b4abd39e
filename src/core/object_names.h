// Objects as messages name them, where only their numbers are known.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/quote.h"
#include "pintle/entry.h"

namespace pintle::core {

/// `[Buffer 12]`. The upper half of a buffer's id is its epoch.
[[nodiscard]] inline std::string buffer_text(std::uint64_t id) {
  return fmt::format("[Buffer {}]", static_cast<std::uint32_t>(id));
}

/// `[Kernel "blur"]`.
[[nodiscard]] inline std::string kernel_text(const Entry& entry) {
  return fmt::format("[Kernel {}]", base::quote(entry.name));
}

}  // namespace pintle::core
