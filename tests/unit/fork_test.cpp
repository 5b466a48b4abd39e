#include "base/fork.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

namespace pintle::base {
namespace {

/// What a forked child answers, as its exit status.
template <class Body>
int status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, OnlyTheChildIsOne) {
  watch_forks();
  watch_forks();
  EXPECT_FALSE(in_forked_child());
  EXPECT_EQ(status_of_child([] { return in_forked_child() ? 7 : 8; }), 7);
  EXPECT_FALSE(in_forked_child());
}

TEST(Fork, AGrandchildIsOneToo) {
  watch_forks();
  EXPECT_EQ(status_of_child([] { return status_of_child([] { return in_forked_child() ? 7 : 8; }); }), 7);
}

TEST(Fork, TheChildIsSilent) {
  watch_forks();
  int calls = 0;
  set_log_callback([&](LogLevel, std::string_view, std::string_view) { ++calls; });
  const int calls_in_child = status_of_child([&] {
    log_message(LogLevel::error, "core", "From a child.");
    return calls;
  });
  set_log_callback({});
  EXPECT_EQ(calls_in_child, 0);
}

TEST(Fork, TheErrorSaysWhatToDo) {
  EXPECT_EQ(forked_error().code(), Errc::unavailable);
  EXPECT_EQ(forked_error().message(),
            "This process is a fork of one that uses Pintle; a child must exec before it opens devices.");
}

}  // namespace
}  // namespace pintle::base
