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

/// The error with what was being done; `words()` may run out of memory, and then the error stays as it is.
template <class Words>
[[nodiscard]] Error explained(const Error& error, Words words) noexcept {
  try {
    return error.during(words());
  } catch (...) {
    return error;
  }
}

}  // namespace pintle::core
