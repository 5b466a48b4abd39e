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

}  // namespace pintle::core
