#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/platform.h"
#include "base/quote.h"
#include "base/settings.h"
#include "cli/describe.h"
#include "cli/findings.h"

namespace pintle::cli {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> variable(std::string_view name) {
  for (const std::string& text : base::environment()) {
    if (text.starts_with(name) && text.size() > name.size() + 1 && text[name.size()] == '=')
      return text.substr(name.size() + 1);
  }
  return std::nullopt;
}

std::optional<fs::path> cache_folder(const base::Settings& settings) {
  if (!settings.cache_dir.empty()) return settings.cache_dir;
  if (const auto cache = variable("XDG_CACHE_HOME"); cache && fs::path(*cache).is_absolute())
    return fs::path(*cache) / "pintle";
  if (const auto home = variable("HOME")) return fs::path(*home) / ".cache" / "pintle";
  return std::nullopt;
}

/// Writes and removes a small file, as the cache itself would.
Result<void> try_writing(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code)
    return Error(Errc::io, fmt::format("Folder {} cannot be made ({}).", base::quote(folder.string()), code.message()));
  const auto file = folder / fmt::format("doctor-{}", base::process_id());
  PINTLE_TRY(base::write_file(file, base::bytes_in("writable")));
  fs::remove(file, code);
  return {};
}

std::uint64_t size_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code code;
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::error_code gone;  // another process may remove it meanwhile
    const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace

Findings check_cache() {
  const auto settings = base::settings();
  if (!settings) return {};  // the settings have a finding of their own
  const auto folder = cache_folder(**settings);
  const auto next_step =
      "Set PINTLE_CACHE_DIR to a folder that can be written; until then programs are compiled at every start.";
  if (!folder)
    return {{"cache", Verdict::warn, "No folder for the cache is known: neither XDG_CACHE_HOME nor HOME is set.",
             next_step}};
  const auto writable = try_writing(*folder);
  if (!writable) return {{"cache", Verdict::warn, writable.error().text(), next_step}};
  const auto used = text_of_bytes(size_of(*folder));
  return {{"cache", Verdict::ok,
           fmt::format("{} is writable and holds {} of {}", base::quote(folder->string()), used,
                       text_of_bytes((*settings)->cache_limit)),
           ""}};
}

}  // namespace pintle::cli
