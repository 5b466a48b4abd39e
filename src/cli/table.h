// Text in columns.
#pragma once

#include <string>
#include <vector>

namespace pintle::cli {

/// Rows as lines, each column as wide as its widest cell. The last cell of a row may be as long as it likes.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace pintle::cli
