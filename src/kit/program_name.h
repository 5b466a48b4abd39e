// What messages call a program.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/quote.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// "[Program "blur"]".
[[nodiscard]] inline std::string name_of(const backend::ProgramImage& image) {
  return fmt::format("[Program {}]", base::quote(image.name));
}

}  // namespace pintle::kit
