// A piece of a test in a forked process, as another user or beside a process of the same number.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace pintle::test {

constexpr uid_t other_user = 65534;

/// The exit status of a process that runs `body`; -1 where it cannot begin or is ended by a signal.
inline int status_of(pid_t child) {
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Runs `body` as a user with no rights; its answer is the exit status. For tests that run as root.
inline int as_other_user(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_other = ::setgroups(0, nullptr) == 0 && ::setresgid(other_user, other_user, other_user) == 0 &&
                          ::setresuid(other_user, other_user, other_user) == 0;
    ::_exit(is_other ? body() : 99);
  }
  return status_of(child);
}

}  // namespace pintle::test

/// Ends a test that needs two users where it cannot be both.
#define SKIP_UNLESS_ROOT() \
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users"
