// Log messages of the library, through one callback; silent by default.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace pintle {

/// The level of a message, the gravest first.
enum class LogLevel : std::uint8_t { error = 1, warn = 2, info = 3, debug = 4 };
/// "error", "warn", "info" or "debug".
[[nodiscard]] std::string_view name(LogLevel level) noexcept;
/// The level of a name; empty when there is none.
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view name) noexcept;

/// Called for each message of the chosen levels, from any thread, one call at a time. It must not call into Pintle.
using LogCallback = std::function<void(LogLevel level, std::string_view category, std::string_view message)>;

/// Replaces the callback; an empty one makes the library silent again. With PINTLE_LOG set and no callback, messages go
/// to standard error. Thread-safe.
void set_log_callback(LogCallback callback, LogLevel most_verbose = LogLevel::warn);

}  // namespace pintle
