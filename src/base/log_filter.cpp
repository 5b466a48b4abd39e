#include "base/log_filter.h"

#include <algorithm>

#include "base/quote.h"

namespace pintle::base {

std::optional<LogFilter> LogFilter::parse(std::string_view text) {
  LogFilter filter;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (!filter.add(text.substr(0, comma))) return std::nullopt;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;
  }
  return filter;
}

bool LogFilter::add(std::string_view item) {
  const std::size_t equals = item.find('=');
  const bool general = equals == std::string_view::npos;
  const auto level = parse_log_level(general ? item : item.substr(equals + 1));
  if (!level) return false;
  if (general) return std::exchange(general_, verbosity_of(*level)) == 0;
  const std::string_view category = item.substr(0, equals);
  const auto same = [&](const auto& row) { return row.first == category; };
  if (!is_identifier(category) || std::ranges::any_of(categories_, same)) return false;
  categories_.emplace_back(category, *level);
  return true;
}

bool LogFilter::admits(LogLevel level, std::string_view category) const noexcept {
  for (const auto& [name, limit] : categories_) {
    if (name == category) return level <= limit;
  }
  return verbosity_of(level) <= general_;
}

Verbosity LogFilter::loudest() const noexcept {
  Verbosity loudest = general_;
  for (const auto& row : categories_) loudest = std::max(loudest, verbosity_of(row.second));
  return loudest;
}

}  // namespace pintle::base
