#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/platform.h"
#include "base/private_folder.h"
#include "base/quote.h"
#include "base/settings.h"
#include "base/temporary_file.h"
#include "cli/describe.h"
#include "cli/findings.h"

namespace pintle::cli {
namespace {

namespace fs = std::filesystem;

/// Opens the folder, and writes and removes a file in it, as the cache itself would.
Result<void> try_writing(const fs::path& path) {
  PINTLE_ASSIGN(folder, base::open_private_folder(path));
  const base::TemporaryFile file(folder.number(), 0600);
  if (file.is_open()) return {};
  return Error(Errc::io, fmt::format("Folder {} cannot be written: {}.", base::quote(path.string(), 4096),
                                     base::system_words(errno)));
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
  const fs::path folder = base::cache_folder(**settings);
  const auto next_step =
      "Set PINTLE_CACHE_DIR to a folder that you alone can write; until then programs are compiled at every start.";
  if (folder.empty())
    return {{"cache", Verdict::warn, "No folder for the cache is known: neither XDG_CACHE_HOME nor HOME is set.",
             next_step}};
  const auto writable = try_writing(folder);
  if (!writable) return {{"cache", Verdict::warn, writable.error().text(), next_step}};
  const auto used = text_of_bytes(size_of(folder));
  return {{"cache", Verdict::ok,
           fmt::format("{} is writable and holds {} of {}", base::quote(folder.string()), used,
                       text_of_bytes((*settings)->cache_limit)),
           ""}};
}

}  // namespace pintle::cli
