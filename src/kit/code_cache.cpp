#include "kit/code_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>

#include "base/contain.h"
#include "base/file.h"
#include "base/join_path.h"
#include "base/log.h"
#include "base/platform.h"
#include "base/private_folder.h"
#include "base/quote.h"
#include "base/settings.h"
#include "base/temporary_folder.h"
#include "kit/cache_entry.h"
#include "kit/cache_lock.h"
#include "pintle/version.h"

namespace pintle::kit {
namespace {

std::string lock_of(const base::Digest& key) { return "lock-" + base::hex(key).substr(0, 2); }

}  // namespace

Result<CodeCache> CodeCache::of_settings() {
  return base::contain("finding the cache", []() -> Result<CodeCache> {
    PINTLE_ASSIGN(settings, base::settings());
    return CodeCache(base::cache_folder(*settings), settings->cache_limit);
  });
}

Result<CodeFile> CodeCache::temporary(std::string_view suffix, std::span<const std::byte> code) {
  return base::contain("writing a temporary file", [&]() -> Result<CodeFile> {
    std::string name = base::join_path(base::temporary_parent(), fmt::format("pintle-XXXXXX{}", suffix)).string();
    base::Descriptor created(::mkostemps(name.data(), static_cast<int>(suffix.size()), O_CLOEXEC));
    if (!created.is_open()) {
      return Error(Errc::io, fmt::format("Temporary file {} cannot be created: {}.", base::quote(name, 4096),
                                         base::system_words(errno)));
    }
    ::fchmod(created.number(), 0600);  // whatever the umask is
    CodeFile file(name, CodeFile::Kind::temporary, std::move(created));
    PINTLE_TRY(base::write_open_file(file.descriptor(), file.path(), code));
    return file;
  });
}

/// Empty where the code cannot be kept: `made` has it then.
Result<std::optional<CodeFile>> CodeCache::obtain_in(int folder, const Wanted& wanted,
                                                     std::vector<std::byte>& made) const {
  const CacheEntry entry(folder, folder_, wanted.key, wanted.suffix, wanted.key_of);
  if (auto held = entry.open()) return held;
  const std::string name = lock_of(wanted.key);
  const CacheLock lock(folder, name.c_str(), base::join_path(folder_, name));
  if (auto held = entry.open()) return held;
  PINTLE_ASSIGN(code, wanted.make());
  made = std::move(code);
  if (!entry.keep(made)) return std::optional<CodeFile>();
  evict_entries(folder, limit_, entry.name());
  return entry.open();
}

Result<CodeFile> CodeCache::obtain(const base::Digest& key, std::string_view suffix, const Make& make,
                                   KeyOf key_of) const {
  return base::contain("using the cache", [&]() -> Result<CodeFile> {
    if (!folder_.empty()) {
      const auto folder = base::open_private_folder(folder_);
      if (folder) {
        std::vector<std::byte> made;
        PINTLE_ASSIGN(file, obtain_in(folder->number(), {key, suffix, make, key_of}, made));
        return file ? *std::move(file) : temporary(suffix, made);
      }
      base::log(LogLevel::warn, "cache", "The cache is not used, and programs are compiled again each time: {}",
                folder.error().message());
    }
    PINTLE_ASSIGN(code, make());
    return temporary(suffix, code);
  });
}

Result<std::vector<std::byte>> CodeCache::obtain_bytes(const base::Digest& key, std::string_view suffix,
                                                       const Make& make) const {
  return base::contain("using the cache", [&]() -> Result<std::vector<std::byte>> {
    std::optional<std::vector<std::byte>> made;
    PINTLE_ASSIGN(file, obtain(key, suffix, [&]() -> Result<std::vector<std::byte>> {
                    PINTLE_ASSIGN(bytes, make());
                    made = bytes;
                    return bytes;
                  }));
    return made ? *std::move(made) : file.code();
  });
}

base::Digest CodeCache::key_of(std::string_view recipe) {
  return base::sha256(base::bytes_in(fmt::format("pintle {}\n{}", version, recipe)));
}

Result<std::vector<std::byte>> CodeCache::bytes_of(std::string_view recipe, std::string_view suffix, const Make& make) {
  PINTLE_ASSIGN(cache, of_settings());
  return cache.obtain_bytes(key_of(recipe), suffix, make);
}

}  // namespace pintle::kit
