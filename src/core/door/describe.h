// What messages say: errors that many calls give, and objects by their names.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "base/signature.h"
#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::core {

[[nodiscard]] inline Error invalid(std::string message, std::source_location where = std::source_location::current()) {
  return {Errc::invalid_argument, std::move(message), where};
}
/// The refusal of a call that cannot block here: inside a callback or host call.
[[nodiscard, gnu::cold]] inline Error blocking_refused(const std::string& what) {
  return invalid(what + " blocks, which is refused inside a callback or host call: it could wait for itself.");
}
/// The refusal of a moved-from or default-made object of `kind`.
[[nodiscard, gnu::cold]] inline Error empty_object(std::string_view kind) {
  return invalid(fmt::format("This {} is empty: it was moved from or never made.", kind));
}
/// The refusal of a view without bytes; `buffer` is the buffer's name.
[[nodiscard, gnu::cold]] inline Error empty_window(std::string_view buffer, std::uint64_t offset) {
  return invalid(
      fmt::format("Window (0 bytes at offset {}) of {} is empty; a command needs at least 1 byte.", offset, buffer));
}
/// The refusal of host memory without an address.
[[nodiscard, gnu::cold]] inline Error null_memory(std::uint64_t size,
                                                  std::source_location where = std::source_location::current()) {
  return invalid(fmt::format("Address (null) of the host memory has no {} bytes.", size), where);
}

/// The error with the words of what was being done. Where `words()` runs out of memory, the error stays unchanged.
template <class Words>
[[nodiscard]] Error explained(const Error& error, Words words) noexcept {
  try {
    return error.during(words());
  } catch (...) {
    return error;
  }
}

/// `[Buffer 12 "view matrix"]`, or `[Buffer 12]` without a label.
[[nodiscard]] inline std::string object_text(std::string_view kind, std::uint64_t number, std::string_view label) {
  return label.empty() ? fmt::format("[{} {}]", kind, number)
                       : fmt::format("[{} {} {}]", kind, number, base::quote(label));
}
/// The name of a buffer of the incarnation with that number. The label is given while both live. Takes the
/// incarnation's lock.
[[nodiscard]] std::string buffer_text(std::uint64_t incarnation, std::uint64_t id);

/// `[Kernel "blur"]`.
[[nodiscard]] inline std::string kernel_text(const Entry& entry) {
  return fmt::format("[Kernel {}]", base::quote(entry.name));
}

/// `parameter "x" (read f32[])`.
[[nodiscard]] inline std::string parameter_text(const Parameter& parameter) {
  return fmt::format("parameter {} ({})", base::quote(parameter.name), base::type_text(parameter));
}

}  // namespace pintle::core
