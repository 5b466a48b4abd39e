#include "kit/cache_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/log.h"
#include "base/quote.h"
#include "pintle/deadline.h"

namespace pintle::kit {
namespace {

using std::filesystem::path;

/// A link, a pipe or another user's file is refused. The mode keeps other users from holding a lock on the file.
int open_lock(int folder, const char* name) noexcept {
  base::Descriptor file(base::retried(
      [&] { return ::openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600); }));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  if (status.st_uid != ::geteuid()) return -1;
  if ((status.st_mode & 07777) != 0600) ::fchmod(file.number(), 0600);
  return file.release();
}

/// The open lock files of this process. A forked child shares their locks, and would keep them when the parent is
/// killed, so it closes them at once. No fork can happen between the opening of a file and its listing here.
class LockFiles {
 public:
  static LockFiles& all() {
    static LockFiles& files = *new LockFiles;
    return files;
  }

  [[nodiscard]] int open(int folder, const char* name) {
    const std::scoped_lock lock(mutex_);
    numbers_.reserve(numbers_.size() + 1);
    const int number = open_lock(folder, name);
    if (number >= 0) numbers_.push_back(number);
    return number;
  }
  /// Unlocks first, because a child may share the file: closing it here alone would leave the lock to the child.
  void unlock_and_close(int number) noexcept {
    const std::scoped_lock lock(mutex_);
    if (std::erase(numbers_, number) == 0) return;  // a forked child has closed it
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

}  // namespace

CacheLock::CacheLock(int folder, const char* name, const path& whole) : number_(LockFiles::all().open(folder, name)) {
  if (number_ < 0) return;
  const Deadline give_up = std::min(Timeout().deadline(), Clock::now() + std::chrono::minutes(2));
  while (::flock(number_, LOCK_EX | LOCK_NB) != 0) {
    if (Clock::now() >= give_up) {
      base::log(LogLevel::warn, "cache", "Lock {} is held for too long; the program is compiled without it.",
                base::quote(whole.string(), 4096));
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

CacheLock::~CacheLock() {
  if (number_ >= 0) LockFiles::all().unlock_and_close(number_);
}

}  // namespace pintle::kit
