#include "kit/cache_entry.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/join_path.h"
#include "base/log.h"
#include "base/platform.h"
#include "base/private_folder.h"
#include "base/quote.h"
#include "base/temporary_file.h"

namespace pintle::kit {
namespace {

constexpr std::string_view mark = "code-";
constexpr std::size_t digits = 2 * sizeof(base::Digest);

template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  base::log(LogLevel::warn, "cache", format, std::forward<Args>(args)...);
}

/// The digest behind the code: it binds the code to this key.
base::Digest seal_of(const base::Digest& key, std::span<const std::byte> code) noexcept {
  std::array<std::byte, 2 * sizeof(base::Digest)> both;
  const base::Digest content = base::sha256(code);
  std::ranges::copy(content, std::ranges::copy(key, both.begin()).out);
  return base::sha256(both);
}

bool is_entry(std::string_view name) noexcept {
  if (!name.starts_with(mark) || name.size() < mark.size() + digits) return false;
  const std::string_view key = name.substr(mark.size(), digits), rest = name.substr(mark.size() + digits);
  return key.find_first_not_of("0123456789abcdef") == std::string_view::npos && (rest.empty() || rest.front() == '.');
}

struct Stored {
  std::string name;
  timespec used;
  std::uint64_t size;
};

std::vector<Stored> stored_in(int folder) {
  struct Close {
    void operator()(DIR* items) const noexcept { ::closedir(items); }
  };
  std::vector<Stored> all;
  base::Descriptor again(base::retried([&] { return ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  const std::unique_ptr<DIR, Close> items(again.is_open() ? ::fdopendir(again.number()) : nullptr);
  if (items == nullptr) return all;
  static_cast<void>(again.release());
  while (const dirent* const item = ::readdir(items.get())) {
    struct stat status{};  // another process may have evicted the file
    if (!is_entry(item->d_name) || ::fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    all.push_back({item->d_name, status.st_mtim, static_cast<std::uint64_t>(status.st_size)});
  }
  return all;
}

}  // namespace

CacheEntry::CacheEntry(int folder, const std::filesystem::path& path, const base::Digest& key, std::string_view suffix,
                       KeyOf key_of)
    : folder_(folder),
      key_(key),
      key_of_(key_of),
      name_(fmt::format("{}{}{}", mark, base::hex(key), suffix)),
      path_(base::join_path(path, name_)) {}

std::optional<CodeFile> CacheEntry::open() const {
  auto file = base::open_private_file(folder_, name_.c_str(), path_);
  if (!file) {
    if (file.error().code() != Errc::not_found) warn("Entry of the cache is ignored: {}", file.error().message());
    return std::nullopt;
  }
  const auto bytes = base::read_open_file(file->number(), path_, std::numeric_limits<std::uint64_t>::max());
  if (!bytes) {
    warn("Entry of the cache is ignored: {}", bytes.error().message());
    return std::nullopt;
  }
  if (!is_intact(*bytes)) {
    warn("Entry {} of the cache is damaged; the program is compiled again.", base::quote(path_.string(), 4096));
    return std::nullopt;
  }
  ::futimens(file->number(), nullptr);  // eviction begins with the least recently used file
  return CodeFile(path_, CodeFile::Kind::cached, *std::move(file));
}

bool CacheEntry::is_intact(std::span<const std::byte> bytes) const {
  if (bytes.size() <= sizeof(base::Digest)) return false;
  const auto code = bytes.first(bytes.size() - sizeof(base::Digest));
  if (key_of_ == KeyOf::code && base::sha256(code) != key_) return false;
  return std::ranges::equal(seal_of(key_, code), bytes.last(sizeof(base::Digest)));
}

Result<void> CacheEntry::write(std::span<const std::byte> code) const {
  const auto failure = [&] {
    return Error(Errc::io, fmt::format("File {} cannot be written: {}.", base::quote(path_.string(), 4096),
                                       base::system_words(errno)));
  };
  base::TemporaryFile file(folder_, 0600);
  if (!file.is_open() || ::fchmod(file.number(), 0600) != 0) return failure();  // whatever the umask is
  PINTLE_TRY(base::write_open_file(file.number(), path_, code));
  PINTLE_TRY(base::write_open_file(file.number(), path_, seal_of(key_, code)));
  if (::fsync(file.number()) != 0 || !file.close() || !file.rename_to(name_.c_str())) return failure();
  return {};
}

bool CacheEntry::keep(std::span<const std::byte> code) const {
  const auto written = write(code);
  if (!written) warn("Cache cannot keep a program: {}", written.error().message());
  return written.has_value();
}

void evict_entries(int folder, std::uint64_t limit, std::string_view newest) {
  base::remove_leftovers(folder);
  std::vector<Stored> entries = stored_in(folder);
  std::uint64_t total = 0;
  for (const Stored& entry : entries) total += entry.size;
  std::ranges::sort(entries, {}, [](const Stored& entry) { return std::pair(entry.used.tv_sec, entry.used.tv_nsec); });
  for (const Stored& entry : entries) {
    if (total <= limit) return;
    if (entry.name == newest) continue;
    ::unlinkat(folder, entry.name.c_str(), 0);
    total -= entry.size;
  }
}

}  // namespace pintle::kit
