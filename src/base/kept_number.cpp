#include "base/kept_number.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/contain.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/join_path.h"
#include "base/parse.h"
#include "base/platform.h"
#include "base/private_folder.h"
#include "base/quote.h"
#include "base/temporary_file.h"

namespace pintle::base {
namespace {

constexpr std::uint64_t most_digits = 20;

std::string name_of(std::string_view subject) { return "number-" + hex(sha256(bytes_in(subject))); }

Result<std::optional<std::uint64_t>> read(const std::filesystem::path& path, std::string_view subject) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) return std::optional<std::uint64_t>();
  PINTLE_ASSIGN(folder, open_private_folder(path));
  const std::string name = name_of(subject);
  PINTLE_ASSIGN(file, open_private_file(folder.number(), name.c_str(), join_path(path, name)));
  PINTLE_ASSIGN(bytes, read_open_file(file.number(), join_path(path, name), most_digits));
  return parse_number<std::uint64_t>(text_in(bytes));
}

}  // namespace

std::optional<std::uint64_t> kept_number(const std::filesystem::path& folder, std::string_view subject) noexcept {
  const auto found = contain("reading a number", [&] { return read(folder, subject); });
  return found ? *found : std::nullopt;
}

Result<void> keep_number(const std::filesystem::path& folder, std::string_view subject, std::uint64_t number) {
  return contain("keeping a number", [&]() -> Result<void> {
    if (folder.empty()) return Error(Errc::unavailable, "The environment names no folder for what Pintle keeps.");
    PINTLE_ASSIGN(opened, open_private_folder(folder));
    const std::string name = name_of(subject), text = std::to_string(number);
    TemporaryFile file(opened.number(), 0600);
    if (file.is_open()) PINTLE_TRY(write_open_file(file.number(), join_path(folder, name), bytes_in(text)));
    if (file.is_open() && file.close() && file.rename_to(name.c_str())) return {};
    return Error(Errc::unavailable,
                 "Folder " + quote(folder.string(), 4096) + " cannot be written: " + system_words(errno) + ".");
  });
}

}  // namespace pintle::base
