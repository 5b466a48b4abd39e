// A program with rights that its caller lacks believes nothing that the caller's environment says.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/dylib.h"
#include "base/file.h"
#include "base/platform.h"
#include "base/settings.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "kit/code_cache.h"
#include "pintle/must.h"
#include "unit/other_process.h"
#include "unit/scratch_folder.h"

namespace pintle::base {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// A folder with a "cc" in it, and the variables that name it.
struct Bait {
  test::ScratchFolder folder;
  std::string compiler = folder.write("cc", "#!/bin/sh\necho bait; env\n").string();

  Bait() { ::chmod(compiler.c_str(), 0755); }
  [[nodiscard]] std::vector<std::string> variables() const {
    const std::string at = folder.path().string();
    return {"PINTLE_CC=" + compiler,
            "PINTLE_CACHE_DIR=" + at,
            "PINTLE_MPI_PLUGIN=" + at + "/evil.so",
            "PINTLE_BACKEND_PATH=" + at,
            "PINTLE_TIMEOUT_MS=no number",
            "PINTLE_LOG=debug",
            "HOME=" + at,
            "XDG_CACHE_HOME=" + at,
            "TMPDIR=" + at,
            "PATH=" + at};
  }
  void set() const {
    for (const std::string& entry : variables()) {
      const auto equals = entry.find('=');
      ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
    }
  }
};

/// Why a program here cannot lend its owner's rights; empty where it can.
std::string no_setuid_here(const fs::path& folder) {
  struct statvfs system{};
  if (::geteuid() != 0) return "only root can be two users";
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0) return "this process may start nothing with more rights";
  if (::statvfs(folder.c_str(), &system) != 0 || (system.f_flag & ST_NOSUID) != 0)
    return "the file system of temporary files lends no rights";
  return {};
}

void expect_nothing_is_believed() {
  const Settings defaults;
  const Settings& found = *must(settings());  // the number that is none would be an error
  EXPECT_EQ(found.cc, "");
  EXPECT_EQ(found.cache_dir, "");
  EXPECT_EQ(found.mpi_plugin, "");
  EXPECT_EQ(found.backend_path, "");
  EXPECT_EQ(found.log, "");
  EXPECT_EQ(found.timeout, defaults.timeout);
  for (const SettingRow& row : setting_rows()) EXPECT_EQ(row.source, "default") << row.name;
  EXPECT_EQ(cache_folder(found), "");
  EXPECT_EQ(must(kit::CodeCache::of_settings()).folder(), "");
  EXPECT_TRUE(environment().empty());
  EXPECT_EQ(variable("HOME"), nullptr);
  EXPECT_EQ(temporary_parent(), "/tmp");
  const auto compiler = find_program("cc");
  EXPECT_TRUE(!compiler || compiler->starts_with("/usr/bin/") || compiler->starts_with("/bin/")) << *compiler;
}

void expect_children_get_nothing() {
  const std::vector<std::string> words{"/usr/bin/env"};
  EXPECT_EQ(must(run_process(words, Clock::now() + std::chrono::seconds(20))).output, "PATH=/usr/bin:/bin\n");
}

/// The process reads its environment once, so it is one of its own.
TEST(RaisedRightsDeathTest, NoVariableIsRead) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto body = [] {
    const Bait bait;
    bait.set();
    pretend_rights(Rights::raised);
    expect_nothing_is_believed();
    expect_children_get_nothing();
    if (!testing::Test::HasFailure()) std::cerr << "nothing is believed";
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "nothing is believed");
}

TEST(RaisedRights, OrdinaryOnesReadThem) {
  ASSERT_EQ(rights(), Rights::own);
  ::setenv("PINTLE_TEST_OF_RIGHTS", "seen", 1);
  EXPECT_STREQ(variable("PINTLE_TEST_OF_RIGHTS"), "seen");
  ::unsetenv("PINTLE_TEST_OF_RIGHTS");
}

/// Runs this very test in a copy of this program that lends its owner's rights to another user.
int run_setuid_copy(const Bait& bait, const std::string& copy) {
  return test::as_other_user([&] {
    std::vector<std::string> entries = bait.variables();
    std::vector<char*> variables;
    for (std::string& entry : entries) variables.push_back(entry.data());
    variables.push_back(nullptr);
    std::string program = copy, filter = "--gtest_filter=RaisedRights.ASetuidProgramReadsNoVariable";
    char* const words[] = {program.data(), filter.data(), nullptr};
    ::execve(program.c_str(), words, variables.data());
    return 98;
  });
}

TEST(RaisedRights, ASetuidProgramReadsNoVariable) {
  if (::getuid() != ::geteuid()) {  // the copy
    ASSERT_EQ(rights(), Rights::raised);
    expect_nothing_is_believed();
    expect_children_get_nothing();
    must(write_file(program_folder() / "done", bytes_in("yes")));
    return;
  }
  const Bait bait;
  if (const std::string cause = no_setuid_here(bait.folder.path()); !cause.empty()) GTEST_SKIP() << cause;
  ASSERT_EQ(::chmod(bait.folder.path().c_str(), 0755), 0);
  const fs::path copy = bait.folder.path() / "program";
  fs::copy_file("/proc/self/exe", copy);
  ASSERT_EQ(::chmod(copy.c_str(), 04755), 0);
  EXPECT_EQ(run_setuid_copy(bait, copy.string()), 0);
  EXPECT_TRUE(fs::exists(bait.folder.path() / "done"));
}

}  // namespace
}  // namespace pintle::base
