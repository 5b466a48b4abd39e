// Writing to the log from inside the library.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "pintle/log.h"

namespace pintle::base {

/// Whether a message of this level would be written. One relaxed load after the first call, so ask before formatting.
[[nodiscard]] bool log_enabled(LogLevel level) noexcept;
void log_message(LogLevel level, std::string_view category, std::string_view message) noexcept;
/// Drops a message for which there is no memory.
void log_formatted(LogLevel level, std::string_view category, fmt::string_view format, fmt::format_args args) noexcept;

/// `category` is the folder of the caller: "core", "cpu", "cache".
template <class... Args>
void log(LogLevel level, std::string_view category, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (log_enabled(level)) log_formatted(level, category, format, fmt::make_format_args(args...));
}

}  // namespace pintle::base
