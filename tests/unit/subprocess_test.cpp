#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>

#include "base/subprocess.h"
#include "pintle/must.h"
#include "scratch_folder.h"

namespace pintle::base {
namespace {

using testing::HasSubstr;

Deadline far() { return Clock::now() + std::chrono::seconds(60); }

Result<ProcessOutput> shell(const std::string& script, Deadline deadline) {
  const std::array<std::string, 3> words{"/bin/sh", "-c", script};
  return run_process(words, deadline);
}

/// Gone, or a zombie that nobody has collected yet.
bool is_dead(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state = "gone";
  stat >> number >> name >> state;
  return state == "gone" || state == "Z" || state == "X";
}

TEST(Subprocess, StatusAndBothOutputsComeBack) {
  const auto ended = must(shell("echo one; echo two >&2; exit 3", far()));
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.output, "one\ntwo\n");
}

TEST(Subprocess, StandardErrorMayBeApart) {
  const std::array<std::string, 3> words{"/bin/sh", "-c",
                                         "echo one; echo two >&2; echo three; head -c 3000000 /dev/zero >&2; exit 3"};
  const auto ended = must(run_process(words, far(), StandardError::apart));
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.output, "one\nthree\n");
  EXPECT_TRUE(ended.words.starts_with("two\n"));
  EXPECT_EQ(ended.words.size(), 1U << 20);
}

TEST(Subprocess, InputIsEmpty) { EXPECT_EQ(must(shell("cat; echo end", far())).output, "end\n"); }

TEST(Subprocess, NoOtherFileOfTheProcessIsOpenInIt) {
  const int file = ::open("/dev/null", O_RDONLY);  // NOLINT(android-cloexec-open): a file that a user leaves open
  ASSERT_GT(file, STDERR_FILENO);
  EXPECT_EQ(must(shell("test ! -e /proc/self/fd/" + std::to_string(file), far())).status, 0);
  ::close(file);
}

TEST(Subprocess, ASignalIsAStatus) { EXPECT_EQ(must(shell("kill -TERM $$", far())).status, 128 + SIGTERM); }

TEST(Subprocess, WordsAreNotInterpreted) {
  const std::array<std::string, 3> words{"/bin/echo", "$HOME; *", "'x'"};
  EXPECT_EQ(must(run_process(words, far())).output, "$HOME; * 'x'\n");
}

TEST(Subprocess, LongOutputIsReadToItsEndAndKeptInPart) {
  const auto ended = must(shell("head -c 3000000 /dev/zero; exit 5", far()));
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.output.size(), 1u << 20);
}

TEST(Subprocess, AHangIsKilledWithItsChildren) {
  const test::ScratchFolder folder;
  const std::string file = (folder.path() / "pid").string();
  const auto ended =
      shell("echo begun; sleep 1000 & echo $! > " + file + "; wait", Clock::now() + std::chrono::seconds(2));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Errc::timeout);
  EXPECT_THAT(std::string(ended.error().message()), HasSubstr("begun"));
  pid_t child = 0;
  std::ifstream(file) >> child;
  ASSERT_GT(child, 0);
  const Deadline patience = far();  // a process that was killed has yet to notice
  while (!is_dead(child) && Clock::now() < patience) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_dead(child));
}

TEST(Subprocess, WhatCannotBeStartedSaysWhy) {
  const test::ScratchFolder folder;
  const std::array<std::string, 1> words{folder.path() / "compiler"};
  const auto ended = run_process(words, far());
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Errc::unavailable);
  EXPECT_THAT(std::string(ended.error().message()), HasSubstr(words[0]));
}

TEST(Subprocess, ProgramsAreFoundInPath) {
  EXPECT_TRUE(find_program("sh").has_value());
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program-at-all"), std::nullopt);
  const test::ScratchFolder folder;
  EXPECT_EQ(find_program((folder.path() / "compiler").string()), std::nullopt);
  EXPECT_EQ(find_program("/tmp"), std::nullopt);
  EXPECT_EQ(find_program(""), std::nullopt);
}

}  // namespace
}  // namespace pintle::base
