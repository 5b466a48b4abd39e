// Errors that many calls give.
#pragma once

#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::core {

/// `what` cannot block here: inside a callback or host call.
[[nodiscard]] Error blocking_refused(std::string what);
/// A moved-from or default-made object of `kind`.
[[nodiscard]] Error empty_object(std::string_view kind);
/// What an error of native access was doing.
[[nodiscard]] std::string native_text(std::string_view type, std::string_view object);

}  // namespace pintle::core
