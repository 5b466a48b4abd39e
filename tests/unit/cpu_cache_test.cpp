#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "kit/code_cache.h"
#include "pintle/log.h"
#include "pintle/must.h"
#include "scratch_folder.h"

namespace pintle::kit {
namespace {

namespace files = std::filesystem;
using testing::HasSubstr;

std::vector<std::byte> bytes(std::string_view text) {
  const auto span = std::as_bytes(std::span(text));
  return {span.begin(), span.end()};
}

base::Digest key(std::string_view text) { return base::sha256(std::as_bytes(std::span(text))); }

std::string text_of(const CodeFile& file, std::size_t size) {
  const auto all = must(base::read_file(file.path()));
  return {reinterpret_cast<const char*>(all.data()), std::min(size, all.size())};
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

/// Answers `text` and counts.
struct Maker {
  std::string text;
  int times = 0;
  CodeCache::Make make() {
    return [this]() -> Result<std::vector<std::byte>> {
      ++times;
      return bytes(text);
    };
  }
};

TEST(CpuCodeCache, MakesOnceAndFindsAgain) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path() / "a" / "b", 1 << 20);
  Maker maker{"code"};
  const auto first = must(cache.obtain(key("k"), ".so", maker.make()));
  EXPECT_EQ(first.kind(), CodeFile::Kind::cached);
  EXPECT_EQ(text_of(first, 4), "code");
  EXPECT_EQ(first.path().extension(), ".so");
  const auto second = must(cache.obtain(key("k"), ".so", maker.make()));
  EXPECT_EQ(second.path(), first.path());
  EXPECT_EQ(maker.times, 1);
  must(cache.obtain(key("other"), ".so", maker.make()));
  EXPECT_EQ(maker.times, 2);
}

TEST(CpuCodeCache, AFailureOfTheMakerIsTheAnswerAndNothingIsKept) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path(), 1 << 20);
  const auto failed = cache.obtain(key("k"), ".so", []() -> Result<std::vector<std::byte>> {
    return Error(Errc::build_failed, "It does not compile.");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::build_failed);
  Maker maker{"code"};
  must(cache.obtain(key("k"), ".so", maker.make()));
  EXPECT_EQ(maker.times, 1);
}

TEST(CpuCodeCache, DamagedEntriesAreMadeAgainWithAWarning) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path(), 1 << 20);
  Maker maker{"a longer piece of code"};
  const auto path = must(cache.obtain(key("k"), ".so", maker.make())).path();
  const auto whole = must(base::read_file(path));
  std::vector<std::vector<std::byte>> damages{{}, {whole.begin(), whole.end() - 1}, whole};
  damages.back()[3] ^= std::byte{1};
  int times = 1;
  for (const auto& damage : damages) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(damage.data()), static_cast<std::streamsize>(damage.size()));
    const Warnings warnings;
    EXPECT_EQ(text_of(must(cache.obtain(key("k"), ".so", maker.make())), maker.text.size()), maker.text);
    EXPECT_EQ(maker.times, ++times);
    EXPECT_THAT(warnings.text, HasSubstr("damaged"));
  }
  EXPECT_EQ(must(base::read_file(path)), whole);
}

TEST(CpuCodeCache, ABrokenFolderIsAWarningAndATemporaryFile) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.write("a file", "") / "cache", 1 << 20);
  const Warnings warnings;
  Maker maker{"code"};
  files::path path;
  {
    const auto file = must(cache.obtain(key("k"), ".so", maker.make()));
    EXPECT_EQ(file.kind(), CodeFile::Kind::temporary);
    EXPECT_EQ(text_of(file, 4), "code");
    path = file.path();
  }
  EXPECT_FALSE(files::exists(path));
  EXPECT_THAT(warnings.text, HasSubstr("cannot be written"));
}

TEST(CpuCodeCache, NoFolderIsATemporaryFile) {
  Maker maker{"code"};
  EXPECT_EQ(must(CodeCache({}, 1).obtain(key("k"), ".so", maker.make())).kind(), CodeFile::Kind::temporary);
}

TEST(CpuCodeCache, TheLeastRecentlyUsedEntriesGoFirst) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path(), 3500);
  Maker maker{std::string(1000, 'x')};
  std::vector<files::path> paths;
  for (const char* name : {"1", "2", "3"}) paths.push_back(must(cache.obtain(key(name), ".so", maker.make())).path());
  const auto now = files::file_time_type::clock::now();
  for (int index = 0; index < 3; ++index)
    files::last_write_time(paths[static_cast<std::size_t>(index)], now - std::chrono::hours(3 - index));
  must(cache.obtain(key("1"), ".so", maker.make()));  // used again
  must(cache.obtain(key("4"), ".so", maker.make()));
  EXPECT_TRUE(files::exists(paths[0]));
  EXPECT_FALSE(files::exists(paths[1]));
  EXPECT_TRUE(files::exists(paths[2]));
  EXPECT_EQ(maker.times, 4);
}

TEST(CpuCodeCache, AnEntryLargerThanTheLimitIsStillUsable) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path(), 10);
  Maker maker{std::string(1000, 'x')};
  EXPECT_TRUE(files::exists(must(cache.obtain(key("1"), ".so", maker.make())).path()));
}

TEST(CpuCodeCacheConcurrency, ThreadsMakeAnEntryOnce) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path(), 1 << 20);
  std::atomic<int> times{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&] {
      const auto file = must(cache.obtain(key("k"), ".so", [&]() -> Result<std::vector<std::byte>> {
        ++times;
        return bytes("code");
      }));
      EXPECT_EQ(text_of(file, 4), "code");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(times, 1);
}

TEST(CpuCodeCache, ProcessesMakeAnEntryOnce) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path() / "cache", 1 << 20);
  const std::string log = (folder.path() / "log").string();
  std::vector<pid_t> children;
  for (int index = 0; index < 6; ++index) {
    const pid_t child = fork();
    if (child == 0) {
      const auto file = cache.obtain(key("k"), ".so", [&]() -> Result<std::vector<std::byte>> {
        std::ofstream(log, std::ios::app) << "made\n" << std::flush;
        return bytes("code");
      });
      _exit(file && text_of(*file, 4) == "code" ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files::file_size(log), 5u);
}

TEST(CpuCodeCache, TheFolderFollowsTheEnvironment) {
  if (std::getenv("PINTLE_CACHE_DIR") != nullptr) GTEST_SKIP() << "PINTLE_CACHE_DIR is set";
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", "/somewhere/cache", 1);
  EXPECT_EQ(must(CodeCache::of_settings()).folder(), "/somewhere/cache/pintle");
  setenv("XDG_CACHE_HOME", "relative", 1);  // the standard says: ignore it
  EXPECT_NE(must(CodeCache::of_settings()).folder(), "relative/pintle");
  before == nullptr ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace pintle::kit
