// Finds words of a kernel that need the items of a group at the same time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pintle::cli {

/// "uses barrier() in line 12", "has local memory in line 3" for the first such word of OpenCL C; comments and strings
/// do not count. Empty when there is none.
[[nodiscard]] std::optional<std::string> needs_a_group(std::string_view source);

}  // namespace pintle::cli
