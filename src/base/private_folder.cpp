#include "base/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/contain.h"
#include "base/platform.h"
#include "base/quote.h"

namespace pintle::base {
namespace {

using std::filesystem::path;

constexpr mode_t others_write = S_IWGRP | S_IWOTH;

Error not_written(const path& folder, int number) {
  return {Errc::io,
          fmt::format("Folder {} cannot be written: {}.", quote(folder.string(), 4096), system_words(number))};
}

Error not_private(std::string_view what, const path& name, std::string_view words) {
  return {Errc::unavailable, fmt::format("{} {} is not private: {}.", what, quote(name.string(), 4096), words)};
}

/// The reason why other users may have written the file; empty where they cannot.
std::string foreign_hand(const struct stat& status) {
  if (status.st_uid != ::geteuid())
    return fmt::format("it belongs to user ({}), and this process runs as user ({})", status.st_uid, ::geteuid());
  if ((status.st_mode & others_write) == 0) return {};
  return fmt::format("its mode ({:04o}) lets others write it", status.st_mode & 07777u);
}

/// Nothing new is made in a folder of another user, root aside: that user could change it.
Result<void> check_parent(const path& parent, const struct stat& status) {
  if (status.st_uid == 0 || status.st_uid == ::geteuid()) return {};
  return not_private("Folder", parent, foreign_hand(status));
}

Result<void> make_missing(const path& folder) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) == 0) return {};
  if (errno != ENOENT) return not_written(folder, errno);
  const path parent = folder.parent_path();
  if (parent.empty() || parent == folder) return not_written(folder, ENOENT);
  PINTLE_TRY(make_missing(parent));
  if (::stat(parent.c_str(), &status) != 0) return not_written(parent, errno);
  PINTLE_TRY(check_parent(parent, status));
  if (::mkdir(folder.c_str(), 0700) == 0) {
    ::chmod(folder.c_str(), 0700);  // the umask may have taken rights away from this user
    return {};
  }
  if (errno == EEXIST) return {};  // another process has made it
  return not_written(folder, errno);
}

}  // namespace

Result<Descriptor> open_private_folder(const path& name) {
  return contain("opening a folder", [&]() -> Result<Descriptor> {
    PINTLE_TRY(make_missing(name));
    Descriptor folder(retried([&] { return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    struct stat status{};
    if (!folder.is_open() || ::fstat(folder.number(), &status) != 0) return not_written(name, errno);
    if (const std::string hand = foreign_hand(status); !hand.empty()) return not_private("Folder", name, hand);
    if (::faccessat(folder.number(), ".", W_OK | X_OK, AT_EACCESS) != 0) return not_written(name, errno);
    return folder;
  });
}

Result<Descriptor> open_private_file(int folder, const char* name, const path& whole) {
  return contain("opening a file", [&]() -> Result<Descriptor> {
    Descriptor file(
        retried([&] { return ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); }));
    if (!file.is_open() && errno == ELOOP) return not_private("File", whole, "it is a link");
    if (!file.is_open()) {
      const Errc code = errno == ENOENT ? Errc::not_found : Errc::io;
      return Error(code,
                   fmt::format("File {} cannot be opened: {}.", quote(whole.string(), 4096), system_words(errno)));
    }
    struct stat status{};
    if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
      return not_private("File", whole, "it is not a regular file");
    if (const std::string hand = foreign_hand(status); !hand.empty()) return not_private("File", whole, hand);
    return file;
  });
}

}  // namespace pintle::base
