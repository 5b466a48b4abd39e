// The cache of compiled code takes nothing from another user's hand, and gives nothing into it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/dylib.h"
#include "base/file.h"
#include "kit/code_cache.h"
#include "pintle/log.h"
#include "pintle/must.h"
#include "unit/other_process.h"
#include "unit/scratch_folder.h"

namespace pintle::kit {
namespace {

namespace files = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::byte> bytes(std::string_view text) {
  const auto span = std::as_bytes(std::span(text));
  return {span.begin(), span.end()};
}

const base::Digest key = base::sha256(base::bytes_in("the key"));

CodeCache::Make making(std::string_view text) {
  return [text]() -> Result<std::vector<std::byte>> { return bytes(text); };
}

/// What the cache answers where this process would make "good"; it may find something else.
std::string answer(const files::path& folder, CodeFile::Kind expected, KeyOf key_of = KeyOf::recipe) {
  const auto file = must(CodeCache(folder, 1 << 20).obtain(key, ".so", making("good"), key_of));
  EXPECT_EQ(file.kind(), expected);
  return std::string(base::text_in(must(file.code())));
}

/// What another version of the program would have kept under the same key.
files::path plant(const files::path& folder) {
  return must(CodeCache(folder, 1 << 20).obtain(key, ".so", making("evil"))).path();
}

unsigned mode_of(const files::path& path) {
  struct stat status{};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777u;
}

/// Hears the warnings of the cache.
class Warnings {
 public:
  Warnings() {
    set_log_callback([this](LogLevel, std::string_view, std::string_view message) { text += message; });
  }
  ~Warnings() { set_log_callback({}); }
  std::string text;
};

TEST(CacheTrust, AFolderThatOthersCanWriteIsNotUsed) {
  for (const mode_t mode : {mode_t{01777}, mode_t{0777}, mode_t{0770}, mode_t{0702}}) {
    const test::ScratchFolder folder;
    plant(folder.path());
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    const Warnings warnings;
    EXPECT_EQ(answer(folder.path(), CodeFile::Kind::temporary), "good");
    EXPECT_THAT(warnings.text, HasSubstr("lets others write it"));
  }
}

TEST(CacheTrust, AFolderThatOthersCanOnlyReadIsUsed) {
  const test::ScratchFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::cached), "good");
}

TEST(CacheTrust, AFolderOfAnotherUserIsNotUsed) {
  SKIP_UNLESS_ROOT();
  const test::ScratchFolder home;
  const files::path folder = home.path() / "pintle";
  plant(folder);
  ASSERT_EQ(::chown(folder.c_str(), test::other_user, test::other_user), 0);
  const Warnings warnings;
  EXPECT_EQ(answer(folder, CodeFile::Kind::temporary), "good");
  EXPECT_THAT(warnings.text, HasSubstr("it belongs to user (65534), and this process runs as user (0)"));
}

TEST(CacheTrust, NothingIsMadeInTheHomeOfAnotherUser) {
  SKIP_UNLESS_ROOT();
  const test::ScratchFolder home;
  ASSERT_EQ(::chown(home.path().c_str(), test::other_user, test::other_user), 0);
  EXPECT_EQ(answer(home.path() / ".cache" / "pintle", CodeFile::Kind::temporary), "good");
  EXPECT_FALSE(files::exists(home.path() / ".cache"));
}

TEST(CacheTrust, AnEntryOfAnotherUserIsMadeAgain) {
  SKIP_UNLESS_ROOT();
  const test::ScratchFolder folder;
  ASSERT_EQ(::chown(plant(folder.path()).c_str(), test::other_user, test::other_user), 0);
  const Warnings warnings;
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::cached), "good");
  EXPECT_THAT(warnings.text, HasSubstr("it belongs to user (65534)"));
}

TEST(CacheTrust, AnEntryThatOthersCanWriteIsMadeAgain) {
  const test::ScratchFolder folder;
  ASSERT_EQ(::chmod(plant(folder.path()).c_str(), 0666), 0);
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::cached), "good");
}

TEST(CacheTrust, ALinkIsNeitherReadNorWritten) {
  const test::ScratchFolder folder, elsewhere;
  const files::path planted = plant(elsewhere.path());
  const auto before = must(base::read_file(planted));
  files::create_symlink(planted, folder.path() / planted.filename());
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::cached), "good");
  EXPECT_FALSE(files::is_symlink(folder.path() / planted.filename()));
  EXPECT_EQ(must(base::read_file(planted)), before);
}

TEST(CacheTrust, ALinkInPlaceOfALockIsNotFollowed) {
  const test::ScratchFolder folder;
  const std::string lock = "lock-" + base::hex(key).substr(0, 2);
  files::create_symlink(folder.path() / "target", folder.path() / lock);
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::cached), "good");
  EXPECT_FALSE(files::exists(folder.path() / "target"));
}

TEST(CacheTrust, APipeInPlaceOfAnEntryDoesNotBlock) {
  const test::ScratchFolder folder, elsewhere;
  const files::path name = folder.path() / plant(elsewhere.path()).filename();
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  ::alarm(60);
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::cached), "good");
  ::alarm(0);
}

TEST(CacheTrust, AnEntryUnderTheNameOfAnotherIsMadeAgain) {
  const test::ScratchFolder folder;
  const files::path planted = plant(folder.path());
  std::string other = planted.filename().string();
  std::ranges::copy(base::hex(base::sha256({})), other.begin() + 5);
  files::rename(planted, folder.path() / other);
  const auto file = must(CodeCache(folder.path(), 1 << 20).obtain(base::sha256({}), ".so", making("good")));
  EXPECT_EQ(base::text_in(must(file.code())), "good");
}

TEST(CacheTrust, CodeIsComparedWithAKeyThatIsItsHash) {
  const test::ScratchFolder folder;
  plant(folder.path());
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::temporary, KeyOf::code), "good") << "\"good\" has another hash too";
  const auto own = base::sha256(base::bytes_in("good"));
  const CodeCache cache(folder.path(), 1 << 20);
  EXPECT_EQ(must(cache.obtain(own, ".so", making("good"), KeyOf::code)).kind(), CodeFile::Kind::cached);
}

TEST(CacheTrust, FolderAndFilesAreTheUsersAloneWhateverTheUmaskIs) {
  const test::ScratchFolder home;
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{0277}}) {
    const files::path parent = home.path() / std::to_string(mask), folder = parent / "pintle";
    const mode_t before = ::umask(mask);
    EXPECT_EQ(answer(folder, CodeFile::Kind::cached), "good");
    ::umask(before);
    EXPECT_EQ(mode_of(parent), 0700u);
    EXPECT_EQ(mode_of(folder), 0700u);
    int count = 0;
    for (const auto& item : files::directory_iterator(folder)) {
      EXPECT_EQ(mode_of(item.path()), 0600u) << item.path();
      ++count;
    }
    EXPECT_EQ(count, 2) << "an entry and a lock";
  }
}

TEST(CacheTrust, NoOtherUserCanHoldALock) {
  SKIP_UNLESS_ROOT();
  const test::ScratchFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const files::path lock = folder.write("lock-" + base::hex(key).substr(0, 2), "");  // as an older version made it
  ASSERT_EQ(::chmod(lock.c_str(), 0644), 0);
  EXPECT_EQ(answer(folder.path(), CodeFile::Kind::cached), "good");
  EXPECT_EQ(test::as_other_user([&] { return ::open(lock.c_str(), O_RDONLY) < 0 && errno == EACCES ? 0 : 1; }), 0);
}

/// The default deadline is read once, so the case runs in a process of its own.
TEST(CacheTrustDeathTest, TheWaitForALockObeysTheDeadline) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const test::ScratchFolder folder;
  const std::string lock = folder.write("lock-" + base::hex(key).substr(0, 2), "").string();
  ASSERT_EQ(::chmod(lock.c_str(), 0600), 0);
  const auto compile = [&] {
    ::setenv("PINTLE_TIMEOUT_MS", "50", 1);
    ::alarm(60);
    const int held = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);  // another open file than the cache's
    if (::flock(held, LOCK_EX | LOCK_NB) != 0) std::exit(2);
    set_log_callback([](LogLevel, std::string_view, std::string_view message) { std::cerr << message; });
    std::exit(answer(files::path(lock).parent_path(), CodeFile::Kind::cached) == "good" ? 0 : 1);
  };
  EXPECT_EXIT(compile(), testing::ExitedWithCode(0), "is held for too long");
}

TEST(CacheTrust, EvictionTakesOnlyWhatIsItsOwn) {
  const test::ScratchFolder folder;
  const std::vector<std::string> kept{"notes.tmp", "code-of-mine.txt", ".pintle-0123456789abcdef.tmp",
                                      "code-" + std::string(64, 'g') + ".so", "code-" + std::string(64, 'a') + "so"};
  for (const std::string& name : kept) folder.write(name, std::string(1000, 'x'));
  const files::path old = folder.write("code-" + std::string(64, 'a') + ".so", std::string(1000, 'x'));
  must(CodeCache(folder.path(), 1).obtain(key, ".so", making("good")));
  for (const std::string& name : kept) EXPECT_TRUE(files::exists(folder.path() / name)) << name;
  EXPECT_FALSE(files::exists(old));
}

TEST(CacheTrust, WhatIsLoadedIsWhatWasVerified) {
  const test::ScratchFolder folder;
  const auto library = must(base::read_file("/proc/self/exe"));  // any bytes
  const auto file = must(CodeCache(folder.path(), 1 << 30).obtain(key, ".so", [&]() -> Result<std::vector<std::byte>> {
    return library;
  }));
  must(base::write_file(file.path(), base::bytes_in("evil")));
  EXPECT_EQ(must(file.code()), library);
}

}  // namespace
}  // namespace pintle::kit
