// Joins paths where memory may run out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pintle::base {

/// `folder`/`name`, with a relative `name`. Where memory runs out inside the standard library's `/` (GCC 12), it leaves
/// a path behind that cannot be destroyed.
[[nodiscard]] inline std::filesystem::path join_path(const std::filesystem::path& folder, std::string_view name) {
  std::string text = folder.native();
  if (!text.empty() && text.back() != '/') text += '/';
  text += name;
  return text;
}

}  // namespace pintle::base
