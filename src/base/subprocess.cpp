#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "base/contain.h"
#include "base/descriptor.h"
#include "base/platform.h"
#include "base/quote.h"

extern char** environ;

namespace pintle::base {
namespace {

constexpr std::size_t most_output = 1 << 20;
constexpr std::string_view usual_folders = "/usr/bin:/bin";

struct Pipe {
  std::array<int, 2> ends{-1, -1};

  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    for (int& end : ends) end = beside_standard_streams(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  [[nodiscard]] bool is_open() const noexcept { return ends[0] >= 0 && ends[1] >= 0; }
  void close_end(std::size_t index) {
    if (ends[index] >= 0) ::close(std::exchange(ends[index], -1));
  }
};

/// How the child begins: output and words into pipes, no input, no other file of this process, a process group of its
/// own, default signals.
class Start {
 public:
  Start(int output, int words) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, words, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  ~Start() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  int spawn(pid_t& child, std::span<const std::string> arguments) {
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    // A compiler also runs programs that its variables name.
    std::string path = fmt::format("PATH={}", usual_folders);
    std::array<char*, 2> few{path.data(), nullptr};
    char** const variables = rights() == Rights::own ? environ : few.data();
    return posix_spawn(&child, words[0], &actions_, &attributes_, words.data(), variables);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

int milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
}

/// Takes what has come; false when the last writer has closed the pipe.
bool take(int pipe, std::string& text) {
  std::array<char, 4096> block;
  const ssize_t count = ::read(pipe, block.data(), block.size());
  if (count > 0) text.append(block.data(), std::min(static_cast<std::size_t>(count), most_output - text.size()));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Reads until the last writers close the pipes; false when the deadline came first.
bool read_until_end(int output, int words, ProcessOutput& result, Deadline deadline) {
  std::array<pollfd, 2> waiting{{{output, POLLIN, 0}, {words, POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&result.output, &result.words};
  while (Clock::now() < deadline) {
    if (::poll(waiting.data(), waiting.size(), milliseconds_until(deadline)) <= 0) continue;
    for (std::size_t i = 0; i < waiting.size(); ++i) {  // poll passes over those with a negative number
      if (waiting[i].revents != 0 && !take(waiting[i].fd, *texts[i])) waiting[i].fd = -1;
    }
    if (std::ranges::all_of(waiting, [](const pollfd& each) { return each.fd < 0; })) return true;
  }
  return false;
}

/// The exit status; empty when the deadline came first. Where the user ignores SIGCHLD the status is not known: 0 then.
std::optional<int> end_of(pid_t child, Deadline deadline) {
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) return 0;
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<ProcessOutput> run(std::span<const std::string> arguments, Deadline deadline, StandardError where) {
  Pipe output;
  std::optional<Pipe> words;
  if (where == StandardError::apart) words.emplace();
  if (!output.is_open() || (words && !words->is_open())) {
    return Error(Errc::unavailable, fmt::format("Pipe to a program cannot be made: {}.", system_words(errno)));
  }
  pid_t child = 0;
  const int words_end = words ? words->ends[1] : output.ends[1];
  if (const int refusal = Start(output.ends[1], words_end).spawn(child, arguments); refusal != 0) {
    return Error(Errc::unavailable,
                 fmt::format("Program {} cannot be started: {}.", quote(arguments[0], 4096), system_words(refusal)));
  }
  output.close_end(1);
  if (words) words->close_end(1);
  ProcessOutput result;
  if (read_until_end(output.ends[0], words ? words->ends[0] : -1, result, deadline)) {
    if (const auto status = end_of(child, deadline)) {
      result.status = *status;
      return result;
    }
  }
  ::kill(-child, SIGKILL);
  static_cast<void>(end_of(child, Deadline::max()));
  return Error(Errc::timeout, fmt::format("Program {} does not end in time and is killed; so far it says: {}",
                                          quote(arguments[0], 4096), result.output));
}

bool is_program(const std::string& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

Result<ProcessOutput> run_process(std::span<const std::string> arguments, Deadline deadline, StandardError words) {
  return contain("running a program", [&] { return run(arguments, deadline, words); });
}

std::optional<std::string> find_program(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    std::string file(name);
    return is_program(file) ? std::optional(std::move(file)) : std::nullopt;
  }
  const char* const folders = variable("PATH");
  std::string_view rest = folders == nullptr ? usual_folders : std::string_view(folders);
  while (!rest.empty()) {
    const auto colon = std::min(rest.find(':'), rest.size());
    std::string file = fmt::format("{}/{}", colon == 0 ? std::string_view(".") : rest.substr(0, colon), name);
    if (is_program(file)) return file;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace pintle::base
