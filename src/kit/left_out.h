// Entries that a program's code lacks on a device: an #ifdef of the source may have left them out.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "pintle/backend/driver.h"

namespace pintle::kit {

[[nodiscard]] inline bool is_left_out(const backend::ProgramImage& image, const std::string& entry) {
  return image.left_out != nullptr &&
         std::ranges::find(*image.left_out, entry, &backend::LeftOut::entry) != image.left_out->end();
}

/// Leaves an entry out, so that it costs itself and not the program. False where core does not ask, and where no other
/// entry would be left: then what is missing is an error of the program.
[[nodiscard]] inline bool leave_out(const backend::ProgramImage& image, const std::string& entry, std::string reason) {
  const auto is_other = [&](const Entry& other) { return other.name != entry && !is_left_out(image, other.name); };
  if (image.left_out == nullptr || std::ranges::none_of(image.entries, is_other)) return false;
  image.left_out->push_back({entry, std::move(reason)});
  return true;
}

/// The reason of an entry that the code does not have.
inline constexpr const char* not_in_code = "is not in the code that this device makes of the program";

}  // namespace pintle::kit
