#include "base/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace pintle::base {
namespace {

constexpr int most_tries = 100;
constexpr time_t old_age = 86'400;  // seconds in a day; no network clock is that wrong, and no save takes so long

bool draw(std::uint64_t& number) noexcept {
  return retried([&] { return ::getrandom(&number, sizeof number, 0); }) == ssize_t{sizeof number};
}

bool is_leftover(int folder, const char* name) noexcept {
  struct stat status{};
  return is_temporary_name(name) && ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && status.st_mtime < ::time(nullptr) - old_age;
}

}  // namespace

TemporaryFile::TemporaryFile(int folder, mode_t mode) noexcept : folder_(folder) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (int attempt = 0; attempt < most_tries; ++attempt) {
    std::uint64_t number = 0;
    if (!draw(number)) break;
    std::snprintf(name_.data(), name_.size(), "%s%016llx%s", mark.data(), static_cast<unsigned long long>(number),
                  ending.data());
    const int file = retried([&] { return ::openat(folder, name_.data(), flags, mode); });
    if (file >= 0) {
      file_.reset(file);
      return;
    }
    if (errno != EEXIST) break;
  }
  name_.front() = '\0';
}

TemporaryFile::~TemporaryFile() {
  if (name_.front() != '\0') ::unlinkat(folder_, name_.data(), 0);
}

bool TemporaryFile::rename_to(const char* name) noexcept {
  if (::renameat(folder_, name_.data(), folder_, name) != 0) return false;
  name_.front() = '\0';
  return true;
}

bool is_temporary_name(std::string_view name) noexcept {
  if (name.size() + 1 != sizeof(TemporaryFile::Name) || !name.starts_with(TemporaryFile::mark) ||
      !name.ends_with(TemporaryFile::ending)) {
    return false;
  }
  return std::ranges::all_of(name.substr(TemporaryFile::mark.size(), TemporaryFile::digits), [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
  });
}

void remove_leftovers(int folder) noexcept {
  const int number = retried([&] { return ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (number < 0) return;
  DIR* const items = ::fdopendir(number);
  if (items == nullptr) {
    ::close(number);
    return;
  }
  while (const dirent* const item = ::readdir(items)) {
    if (is_leftover(folder, item->d_name)) ::unlinkat(folder, item->d_name, 0);
  }
  ::closedir(items);
}

}  // namespace pintle::base
