#include "processes.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace pintle::differential {

std::string run_in_child(const std::function<int()>& work, double seconds) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return "no child can be made";
  if (child == 0) {
    const int status = work();
    std::fflush(nullptr);
    _exit(status);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (ended == 0) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return fmt::format("does not end within {} s", seconds);
  }
  if (WIFSIGNALED(status)) return fmt::format("ends by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("ends with status {}", WEXITSTATUS(status));
}

}  // namespace pintle::differential
