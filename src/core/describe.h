// Objects as they appear in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::core {

/// `[Buffer 12 "view matrix"]`, or `[Buffer 12]` without a label.
[[nodiscard]] std::string object_text(std::string_view kind, std::uint64_t number, std::string_view label);
/// `what` cannot block here: inside a callback or host call.
[[nodiscard]] Error blocking_refused(std::string what);
/// A moved-from or default-made object of `kind`.
[[nodiscard]] Error empty_object(std::string_view kind);

}  // namespace pintle::core
