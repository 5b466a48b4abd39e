// What a save leaves as it was: other processes' files, the owner, the mode, the folder.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/temporary_file.h"
#include "pintle/must.h"
#include "unit/other_process.h"
#include "unit/scratch_folder.h"

namespace pintle::base {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

std::string content(const fs::path& path) { return std::string(text_in(must(read_file(path)))); }

struct stat status_of(const fs::path& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

unsigned mode_of(const fs::path& path) { return status_of(path).st_mode & 07777u; }

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// Sets an umask for its life.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

/// In a container of its own every process has the same number.
int write_as_process_one(const fs::path& folder, char letter) {
  if (::unshare(CLONE_NEWPID) != 0) return 77;
  const pid_t child = ::fork();
  if (child != 0) return test::status_of(child);
  if (::getpid() != 1) ::_exit(76);
  const fs::path file = folder / std::string(1, letter);
  for (int round = 0; round < 200; ++round) {
    const std::string text(10'000, letter);
    if (!write_file(file, bytes_in(text))) ::_exit(1);
    if (content(file) != text) ::_exit(2);
  }
  ::_exit(0);
}

TEST(FileSaving, TakesNoFileOfAProcessWithTheSameNumber) {
  const ScratchFolder folder;
  const auto name = [&](int number) { return fmt::format(".{}.{}.tmp", ::getpid(), number); };
  for (int number = 0; number < 500; ++number) folder.write(name(number), "another's");
  must(write_file(folder.path() / "data", bytes_in("mine")));
  EXPECT_EQ(files_in(folder.path()), 501);
  for (int number = 0; number < 500; ++number) EXPECT_EQ(content(folder.path() / name(number)), "another's");
}

TEST(FileSaving, ContainersMaySaveIntoOneFolder) {
  SKIP_UNLESS_ROOT();
  const ScratchFolder folder;
  std::vector<pid_t> children;
  for (const char letter : {'a', 'b'}) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(write_as_process_one(folder.path(), letter));
    children.push_back(child);
  }
  const int first = test::status_of(children[0]), second = test::status_of(children[1]);
  if (first == 77 || second == 77) GTEST_SKIP() << "the system makes no namespace of processes";
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 0);
  EXPECT_EQ(files_in(folder.path()), 2);
}

TEST(FileSaving, AFileThatIsReplacedKeepsItsMode) {
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "old");
  for (const mode_t mode : {mode_t{0600}, mode_t{0640}, mode_t{0666}, mode_t{0755}}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    must(write_file(path, bytes_in("new")));
    EXPECT_EQ(mode_of(path), mode);
    EXPECT_EQ(content(path), "new");
  }
}

TEST(FileSaving, ANewFileHasWhatTheUmaskLeaves) {
  const ScratchFolder folder;
  for (const mode_t mask : {mode_t{022}, mode_t{077}, mode_t{0}}) {
    const Umask set(mask);
    const fs::path path = folder.path() / std::to_string(mask);
    must(write_file(path, bytes_in("new")));
    EXPECT_EQ(mode_of(path), 0666u & ~mask);
  }
}

TEST(FileSaving, AFileThatIsReplacedLosesTheRightToRunAsItsOwner) {
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "old");
  ASSERT_EQ(::chmod(path.c_str(), 06755), 0);
  must(write_file(path, bytes_in("new")));
  EXPECT_EQ(mode_of(path), 0755u);
}

TEST(FileSaving, AFileThatIsReplacedKeepsItsOwner) {
  SKIP_UNLESS_ROOT();
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "old");
  ASSERT_EQ(::chown(path.c_str(), test::other_user, 4711), 0);
  must(write_file(path, bytes_in("new")));
  EXPECT_EQ(status_of(path).st_uid, test::other_user);
  EXPECT_EQ(status_of(path).st_gid, 4711u);
}

TEST(FileSaving, AForeignGroupGetsNoMoreThanAllOthersDo) {
  SKIP_UNLESS_ROOT();
  const ScratchFolder folder;
  const fs::path path = folder.write("data", "old");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0664), 0);
  EXPECT_EQ(test::as_other_user([&] { return write_file(path, bytes_in("new")) ? 0 : 1; }), 0);
  EXPECT_EQ(status_of(path).st_uid, test::other_user);
  EXPECT_EQ(mode_of(path), 0644u);
}

TEST(FileSaving, WhatAKilledProcessLeftGoesOnceItIsOld) {
  const ScratchFolder folder, other;
  must(write_file(other.path() / "data", bytes_in("so that the folder is not the one of the last save")));
  const std::vector<std::string> kept{".pintle-0123456789abcdef.tmp.keep", ".pintle-0123456789abcdeX.tmp", "data.tmp",
                                      ".1.1.tmp", ".pintle-fedcba9876543210.tmp"};
  for (const std::string& name : kept) folder.write(name, "kept");
  const fs::path old = folder.write(".pintle-0123456789abcdef.tmp", "left");
  for (const auto& item : fs::directory_iterator(folder.path())) {
    if (item.path().filename() == kept.back()) continue;  // it is young: its process may still write it
    fs::last_write_time(item.path(), fs::file_time_type::clock::now() - std::chrono::hours(48));
  }
  must(write_file(folder.path() / "data", bytes_in("new")));
  EXPECT_FALSE(fs::exists(old));
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
}

TEST(TemporaryFile, IsGoneUnlessItIsRenamed) {
  const ScratchFolder folder;
  const Descriptor open(::open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  {
    const TemporaryFile dropped(open.number(), 0600);
    ASSERT_TRUE(dropped.is_open());
    const fs::path name = fs::directory_iterator(folder.path())->path().filename();
    EXPECT_TRUE(is_temporary_name(name.string())) << name;
  }
  EXPECT_EQ(files_in(folder.path()), 0);
  TemporaryFile kept(open.number(), 0600);
  EXPECT_TRUE(kept.rename_to("kept"));
  EXPECT_EQ(mode_of(folder.path() / "kept"), 0600u);
}

TEST(TemporaryFile, AMissingFolderIsTheSystemsError) {
  const TemporaryFile file(-1, 0600);
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace pintle::base
