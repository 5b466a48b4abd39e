#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "base/contain.h"
#include "base/descriptor.h"
#include "base/platform.h"
#include "base/quote.h"
#include "base/signal_words.h"

namespace pintle::base {
namespace {

constexpr std::uint64_t most_processes = 1 << 22;  // no Linux has a higher number

/// This process's environment, with `changes` in place of variables of the same names.
std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> result = changes;
  for (std::string& entry : environment()) {
    const auto name = entry.substr(0, entry.find('=') + 1);
    const auto is_same = [&](const std::string& change) { return change.starts_with(name); };
    if (name.empty() || std::none_of(changes.begin(), changes.end(), is_same)) result.push_back(std::move(entry));
  }
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// What the child needs to run. It is made before the child exists: the child may do only what a signal handler may.
struct Image {
  std::vector<std::string> environment;
  std::vector<char*> arguments, variables;
  int inherited;
  pid_t parent;

  explicit Image(const ChildStart& start)
      : environment(changed_environment(start.environment)),
        arguments(pointers(start.arguments)),
        variables(pointers(environment)),
        inherited(start.inherited),
        parent(::getpid()) {}
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// Becomes the program, or writes into `refusals` why it cannot.
  [[noreturn]] void become(int refusals) const noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);  // the parent ended before the signal was set
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (inherited < 0 || ::fcntl(inherited, F_SETFD, 0) == 0) {
      ::execve(arguments[0], arguments.data(), variables.data());
    }
    const int number = errno;
    static_cast<void>(!::write(refusals, &number, sizeof number));
    ::_exit(1);
  }
};

Error not_started(const std::string& program, int number) {
  return {Errc::unavailable,
          fmt::format("Program {} cannot be started: {}.", quote(program, 4096), system_words(number))};
}

ProcessEnd end_of(int status) noexcept {
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

Result<pid_t> start_child(const ChildStart& start) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return not_started(start.arguments[0], errno);
  const Descriptor refusals(ends[0]);
  Descriptor writing(ends[1]);
  if (!refusals.is_open() || !writing.is_open()) return not_started(start.arguments[0], errno);
  const Image image(start);
  const pid_t child = ::fork();
  if (child == 0) image.become(writing.number());
  if (child < 0) return not_started(start.arguments[0], errno);
  static_cast<void>(writing.close());
  int refusal = 0;
  // The pipe ends without a word when the child has become the program.
  if (retried([&] { return ::read(refusals.number(), &refusal, sizeof refusal); }) == 0) return child;
  retried([&] { return ::waitpid(child, nullptr, 0); });
  return not_started(start.arguments[0], refusal);
}

/// At most an hour from now, which the system's clock takes.
timespec time_until(Deadline deadline) noexcept {
  constexpr Duration most = std::chrono::hours(1);
  const Deadline now = Clock::now();
  const Duration left = deadline <= now ? Duration::zero() : deadline - now < most ? deadline - now : most;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
}

}  // namespace

std::string text(const ProcessEnd& end) {
  return end.signal != 0 ? fmt::format("was ended by {}", signal_text(end.signal))
                         : fmt::format("has ended with exit code {}", end.code);
}

ProcessWatch::ProcessWatch(std::uint64_t process) noexcept : process_(process) {
  if (process == 0 || process > most_processes) {
    is_unknown_ = true;
    return;
  }
  descriptor_ = beside_standard_streams(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0u)));
  is_unknown_ = descriptor_ < 0 && errno == ESRCH;
}

ProcessWatch::~ProcessWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ProcessWatch::has_ended() const noexcept {
  if (is_unknown_) return true;
  // Without a descriptor (too many are open, or the system is old) the process is looked for by its number.
  if (descriptor_ < 0) return ::kill(static_cast<pid_t>(process_), 0) != 0 && errno == ESRCH;
  pollfd look{descriptor_, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

Result<ChildProcess> ChildProcess::start(const ChildStart& start) {
  return contain("starting a program", [&]() -> Result<ChildProcess> {
    PINTLE_ASSIGN(child, start_child(start));
    return ChildProcess(child);
  });
}

ChildProcess::~ChildProcess() {
  send(SIGKILL);
  if (process_ > 0) static_cast<void>(wait());
}

void ChildProcess::send(int signal) const noexcept {
  if (process_ > 0) ::kill(process_, signal);
}

std::optional<ProcessEnd> ChildProcess::try_wait() noexcept {
  int status = 0;
  if (process_ <= 0 || retried([&] { return ::waitpid(process_, &status, WNOHANG); }) == 0) return std::nullopt;
  process_ = 0;
  return end_of(status);
}

ProcessEnd ChildProcess::wait() noexcept {
  int status = 0;
  retried([&] { return ::waitpid(process_, &status, 0); });
  process_ = 0;
  return end_of(status);
}

ProcessEvents::ProcessEvents() noexcept {
  sigemptyset(&waited_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&waited_, signal);
  ::sigprocmask(SIG_BLOCK, &waited_, &before_);
  // The process that started this one may ignore the ends of children; then no exit code of a child could be read.
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, &child_before_);
}

ProcessEvents::~ProcessEvents() {
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

ProcessEvents::Event ProcessEvents::wait(Deadline deadline) const noexcept {
  while (true) {
    siginfo_t info{};
    const timespec left = time_until(deadline);
    const int signal = ::sigtimedwait(&waited_, &info, &left);
    if (signal > 0) return {signal, info.si_code == SI_KERNEL};
    if (errno == EAGAIN && Clock::now() >= deadline) return {};
  }
}

}  // namespace pintle::base
