// Errors that many calls give.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/error.h"

namespace pintle::core {

[[nodiscard]] inline Error invalid(std::string message, std::source_location where = std::source_location::current()) {
  return {Errc::invalid_argument, std::move(message), where};
}
/// The refusal of a call that cannot block here: inside a callback or host call.
[[nodiscard]] Error blocking_refused(std::string what);
/// The refusal of a moved-from or default-made object of `kind`.
[[nodiscard]] Error empty_object(std::string_view kind);
/// The refusal of a view without bytes; `buffer` is the buffer's name.
[[nodiscard]] Error empty_window(std::string_view buffer, std::uint64_t offset);
/// The refusal of host memory without an address.
[[nodiscard]] Error null_memory(std::uint64_t size, std::source_location where = std::source_location::current());
/// The words of what was being done when native access failed.
[[nodiscard]] std::string native_text(std::string_view type, std::string_view object);

/// The error with the words of what was being done. Where `words()` runs out of memory, the error stays unchanged.
template <class Words>
[[nodiscard]] Error explained(const Error& error, Words words) noexcept {
  try {
    return error.during(words());
  } catch (...) {
    return error;
  }
}

}  // namespace pintle::core
