// Objects as messages name them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/quote.h"
#include "base/signature.h"
#include "pintle/entry.h"

namespace pintle::core {

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
