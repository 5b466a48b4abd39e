// Paths put together where memory may run out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pintle::base {

/// `folder`/`name`, with a relative `name`. The standard library's `/` (GCC 12) leaves a path behind that nobody can
/// destroy where memory runs out inside it.
[[nodiscard]] inline std::filesystem::path join_path(const std::filesystem::path& folder, std::string_view name) {
  std::string text = folder.native();
  if (!text.empty() && text.back() != '/') text += '/';
  text += name;
  return text;
}

}  // namespace pintle::base
