// Who has the descriptor of the memory where ranks meet: what becomes a rank's program, and nothing that a rank starts.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "base/settings.h"
#include "base/subprocess.h"
#include "collective/programs.h"
#include "collective/rank_processes.h"

namespace pintle::collective {
namespace {

/// As a rank starts a compiler.
bool is_open_in_a_compiler(const std::string& file) {
  const std::array<std::string, 3> words{"/bin/sh", "-c", "test -e " + file};
  return must(base::run_process(words, Clock::now() + std::chrono::seconds(20))).status == 0;
}

/// As any other code starts a program.
bool is_open_in_a_program(const std::string& file) { return std::system(("test -e " + file).c_str()) == 0; }

void expect_taken() {
  const int number = static_cast<int>(must(base::settings())->group_memory.value());
  const std::string file = "/proc/self/fd/" + std::to_string(number);
  EXPECT_EQ(::fcntl(number, F_GETFD), 0);
  EXPECT_TRUE(is_open_in_a_program(file)) << "a program that is to become the rank's";
  EXPECT_FALSE(is_open_in_a_compiler(file));
  Group group = must(Group::join({.timeout = std::chrono::seconds(20)}));
  EXPECT_TRUE(group.run(Collective::barrier()));
  EXPECT_FALSE(is_open_in_a_program(file));
  EXPECT_FALSE(is_open_in_a_compiler(file));
}

TEST(Inheritance, ARanksProgramHasTheMemoryAndItsChildrenDoNot) {
  if (is_rank_process()) return expect_taken();
  RankProcesses(2).expect_success();
}

TEST(Inheritance, ProgramsThatBecomeTheRanksLeaveItTheMemory) {
  if (is_rank_process()) return expect_taken();
  RankProcesses(2, Wire::shm, {"/usr/bin/env", "INHERITED=1"}).expect_success();
  RankProcesses(2, Wire::shm, {"/bin/sh", "-c", "exec \"$@\"", "sh"}).expect_success();
  RankProcesses(2, Wire::shm, {"/bin/sh", "-c", "\"$@\"; exit $?", "sh"}).expect_success();
}

}  // namespace
}  // namespace pintle::collective
