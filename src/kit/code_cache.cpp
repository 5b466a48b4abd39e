#include "kit/code_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "base/contain.h"
#include "base/file.h"
#include "base/join_path.h"
#include "base/log.h"
#include "base/platform.h"
#include "base/quote.h"
#include "base/settings.h"
#include "base/temporary_folder.h"
#include "pintle/deadline.h"

namespace pintle::kit {
namespace {

using std::filesystem::path;
namespace files = std::filesystem;

constexpr std::string_view category = "cache";
constexpr std::string_view entry_mark = "code-";

template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  base::log(LogLevel::warn, category, format, std::forward<Args>(args)...);
}

/// The open lock files of this process. A forked child shares their locks, and would keep what the parent leaves when
/// it is killed: it closes them at once. It cannot be forked while one is opened and not yet listed.
class LockFiles {
 public:
  static LockFiles& all() {
    static LockFiles& files = *new LockFiles;
    return files;
  }

  [[nodiscard]] int open(const path& file) {
    const std::scoped_lock lock(mutex_);
    numbers_.reserve(numbers_.size() + 1);
    const int number = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (number >= 0) numbers_.push_back(number);
    return number;
  }
  /// Also where a child shares the file: closing it here alone would leave the lock to the child.
  void unlock_and_close(int number) noexcept {
    const std::scoped_lock lock(mutex_);
    if (std::erase(numbers_, number) == 0) return;  // a child has it no more
    ::flock(number, LOCK_UN);
    ::close(number);
  }

 private:
  LockFiles() {
    ::pthread_atfork([] { all().mutex_.lock(); }, [] { all().mutex_.unlock(); }, [] { all().close_in_child(); });
  }
  void close_in_child() noexcept {
    for (const int number : numbers_) ::close(number);
    numbers_.clear();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<int> numbers_;
};

/// An exclusive lock over threads and processes. It is given up after a while: a stopped process may hold it.
class FileLock {
 public:
  explicit FileLock(const path& file) : number_(LockFiles::all().open(file)) {
    if (number_ < 0) return;
    const Deadline give_up = Clock::now() + std::chrono::minutes(2);
    while (::flock(number_, LOCK_EX | LOCK_NB) != 0) {
      if (Clock::now() >= give_up) {
        warn("Lock {} is held for too long; the program is compiled without it.", base::quote(file.string(), 4096));
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() {
    if (number_ >= 0) LockFiles::all().unlock_and_close(number_);
  }

 private:
  int number_;
};

bool make_folder(const path& folder) {
  std::error_code refusal;
  files::create_directories(folder, refusal);
  if (!refusal && ::access(folder.c_str(), W_OK | X_OK) == 0) return true;
  warn("Cache folder {} cannot be written: {}. Programs are compiled again each time.",
       base::quote(folder.string(), 4096), refusal ? refusal.message() : base::system_words(errno));
  return false;
}

path folder_of(const base::Settings& settings) {
  if (!settings.cache_dir.empty()) return settings.cache_dir;
  const char* const cache_home = std::getenv("XDG_CACHE_HOME");
  if (cache_home != nullptr && path(cache_home).is_absolute()) return base::join_path(cache_home, "pintle");
  const char* const home = std::getenv("HOME");
  if (home != nullptr && path(home).is_absolute()) return base::join_path(home, ".cache/pintle");
  return {};
}

}  // namespace

CodeFile::~CodeFile() {
  if (kind_ == Kind::temporary) ::unlink(path_.c_str());
}

Result<CodeCache> CodeCache::of_settings() {
  return base::contain("finding the cache", []() -> Result<CodeCache> {
    PINTLE_ASSIGN(settings, base::settings());
    return CodeCache(folder_of(*settings), settings->cache_limit);
  });
}

Result<CodeFile> CodeCache::temporary(std::string_view suffix, std::span<const std::byte> code) {
  return base::contain("writing a temporary file", [&]() -> Result<CodeFile> {
    std::string name = (base::temporary_parent() / fmt::format("pintle-XXXXXX{}", suffix)).string();
    const int number = ::mkostemps(name.data(), static_cast<int>(suffix.size()), O_CLOEXEC);
    if (number < 0) {
      return Error(Errc::io, fmt::format("Temporary file {} cannot be created: {}.", base::quote(name, 4096),
                                         base::system_words(errno)));
    }
    ::close(number);
    CodeFile file(name, CodeFile::Kind::temporary);
    PINTLE_TRY(base::write_file(file.path(), code));
    return file;
  });
}

Result<CodeFile> CodeCache::obtain(const base::Digest& key, std::string_view suffix, const Make& make) const {
  return base::contain("using the cache", [&]() -> Result<CodeFile> {
    if (folder_.empty() || !make_folder(folder_)) {
      PINTLE_ASSIGN(code, make());
      return temporary(suffix, code);
    }
    const std::string name = base::hex(key);
    const path file = base::join_path(folder_, fmt::format("{}{}{}", entry_mark, name, suffix));
    if (holds(file)) return CodeFile(file, CodeFile::Kind::cached);
    const FileLock lock(base::join_path(folder_, fmt::format("lock-{}", name.substr(0, 2))));
    if (holds(file)) return CodeFile(file, CodeFile::Kind::cached);
    PINTLE_ASSIGN(code, make());
    if (keep(file, code)) return CodeFile(file, CodeFile::Kind::cached);
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
    if (made) return *std::move(made);
    auto bytes = base::read_file(file.path());
    if (!bytes || bytes->size() < sizeof(base::Digest)) return make();  // evicted since
    bytes->resize(bytes->size() - sizeof(base::Digest));
    return bytes;
  });
}

bool CodeCache::holds(const path& file) const {
  std::error_code none;
  if (!files::exists(file, none)) return false;
  const auto bytes = base::read_file(file);
  constexpr std::size_t digest_size = sizeof(base::Digest);
  if (!bytes) {
    warn("Entry of the cache is ignored: {}", bytes.error().message());
    return false;
  }
  if (bytes->size() > digest_size) {
    const std::span code = std::span(*bytes).first(bytes->size() - digest_size);
    const base::Digest digest = base::sha256(code);
    if (std::memcmp(digest.data(), code.data() + code.size(), digest_size) == 0) {
      files::last_write_time(file, files::file_time_type::clock::now(), none);  // the least recently used goes first
      return true;
    }
  }
  warn("Entry {} of the cache is damaged; the program is compiled again.", base::quote(file.string(), 4096));
  return false;
}

bool CodeCache::keep(const path& file, std::span<const std::byte> code) const {
  std::vector<std::byte> bytes(code.begin(), code.end());
  const base::Digest digest = base::sha256(code);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  if (const auto written = base::write_file(file, bytes); !written) {
    warn("Cache cannot keep a program: {}", written.error().message());
    return false;
  }
  evict(file);
  return true;
}

void CodeCache::evict(const path& newest) const {
  struct Entry {
    path file;
    files::file_time_type used;
    std::uint64_t size;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code none;
  for (files::directory_iterator item(folder_, none), end; !none && item != end; item.increment(none)) {
    std::error_code gone;  // another process evicts as well
    const auto size = item->file_size(gone);
    const std::string name = item->path().filename().string();
    if (gone || !(name.starts_with(entry_mark) || name.ends_with(".tmp"))) continue;  // also what a killed process left
    entries.push_back({item->path(), item->last_write_time(gone), size});
    total += size;
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= limit_) return;
    if (entry.file == newest) continue;
    files::remove(entry.file, none);
    total -= entry.size;
  }
}

}  // namespace pintle::kit
