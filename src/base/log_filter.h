// Which messages are written: one level for all, and other levels for single categories.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/log.h"

namespace pintle::base {

/// The number of a level; 0 stands for silence.
using Verbosity = std::uint8_t;
[[nodiscard]] constexpr Verbosity verbosity_of(LogLevel level) noexcept { return static_cast<Verbosity>(level); }

class LogFilter {
 public:
  /// Silence.
  LogFilter() noexcept = default;
  explicit LogFilter(LogLevel level) noexcept : general_(verbosity_of(level)) {}
  /// Reads "warn", "warn,cpu=debug" or "cpu=debug"; the empty text is silence. Empty when a level is unknown or given
  /// twice.
  [[nodiscard]] static std::optional<LogFilter> parse(std::string_view text);

  [[nodiscard]] bool admits(LogLevel level, std::string_view category) const noexcept;
  /// The highest verbosity of any category.
  [[nodiscard]] Verbosity loudest() const noexcept;

 private:
  [[nodiscard]] bool add(std::string_view item);

  Verbosity general_ = 0;
  std::vector<std::pair<std::string, LogLevel>> categories_;
};

}  // namespace pintle::base
