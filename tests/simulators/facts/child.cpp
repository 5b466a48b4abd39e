#include "facts/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <thread>

namespace facts {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// The program, with its output in a pipe; -1 where it cannot be started.
pid_t start(const std::vector<std::string>& arguments, int to) {
  std::vector<std::string> words{"/proc/self/exe"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
  pid_t child = -1;
  const int refused = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return refused == 0 ? child : -1;
}

/// Passes on lines until the other end is closed; false where nothing came for too long.
bool pass_on(int from, std::chrono::seconds deadline, const std::function<void(std::string_view)>& on_line) {
  std::string rest;
  std::array<char, 4096> buffer{};
  auto last = Clock::now();
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(last + deadline - Clock::now());
    if (left <= 0ms) return false;
    pollfd waited{from, POLLIN, 0};
    if (::poll(&waited, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t size = ::read(from, buffer.data(), buffer.size());
    if (size <= 0) return true;
    rest.append(buffer.data(), static_cast<std::size_t>(size));
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
      on_line(std::string_view(rest).substr(0, end));
      rest.erase(0, end + 1);
      last = Clock::now();
    }
  }
}

/// Whether it ends in time; `status` is how.
bool ends(pid_t child, std::chrono::seconds deadline, int& status) {
  const auto until = Clock::now() + deadline;
  while (Clock::now() < until) {
    if (::waitpid(child, &status, WNOHANG) == child) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace

std::string run_again(const std::vector<std::string>& arguments, std::chrono::seconds deadline,
                      const std::function<void(std::string_view)>& on_line) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return "there is no pipe";
  const pid_t child = start(arguments, pipe[1]);
  ::close(pipe[1]);
  if (child < 0) {
    ::close(pipe[0]);
    return "cannot be started";
  }
  int status = 0;
  const bool has_ended = pass_on(pipe[0], deadline, on_line) && ends(child, deadline, status);
  ::close(pipe[0]);
  if (!has_ended) {
    ::kill(child, SIGKILL);
    static_cast<void>(ends(child, 4s, status));  // a process that is in the kernel may stay there
    return "does not return";
  }
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

}  // namespace facts
