#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace pintle::cli {
namespace {

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::string line_of(const std::vector<std::string>& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool last = i + 1 == row.size();
    line += last ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows) {
  const auto widths = widths_of(rows);
  std::string text;
  for (const auto& row : rows) text += line_of(row, widths) + "\n";
  return text;
}

}  // namespace pintle::cli
