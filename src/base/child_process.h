// Processes that run beside this one: how they are started, watched and ended.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::base {

/// How a process ended.
struct ProcessEnd {
  int code = 0;    ///< Its exit code.
  int signal = 0;  ///< The signal that ended it; 0: none.

  [[nodiscard]] bool is_success() const noexcept { return code == 0 && signal == 0; }
};

/// "was ended by signal 11 (invalid memory access)" or "has ended with exit code 3".
[[nodiscard]] std::string text(const ProcessEnd& end);

/// Watches any process of this machine, by its number, for its end. Thread-safe.
class ProcessWatch {
 public:
  /// Watches from now on. A process that has ended already, or never was, counts as ended.
  explicit ProcessWatch(std::uint64_t process) noexcept;
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;
  ~ProcessWatch();

  [[nodiscard]] std::uint64_t process() const noexcept { return process_; }
  /// Whether the process has ended, even where its parent has not asked for its end. One system call.
  [[nodiscard]] bool has_ended() const noexcept;

 private:
  const std::uint64_t process_;
  int descriptor_ = -1;  // follows the process, not the number, which another process may get
  bool is_unknown_ = false;
};

/// How a child begins. Its standard streams are this process's.
struct ChildStart {
  std::vector<std::string> arguments{};    ///< The first is the path of a program.
  std::vector<std::string> environment{};  ///< NAME=value strings that replace or join this process's own.
  int inherited = -1;                      ///< A descriptor that the child gets under the same number; -1: none.
};

/// A child process. It gets SIGTERM when the thread that started it ends.
class ChildProcess {
 public:
  /// `unavailable` has the system's words when the program cannot be started.
  [[nodiscard]] static Result<ChildProcess> start(const ChildStart& start);

  ChildProcess(ChildProcess&& other) noexcept : process_(std::exchange(other.process_, 0)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    std::swap(process_, other.process_);
    return *this;
  }
  ~ChildProcess();  ///< Kills the process where it has not ended.

  /// The process's number; 0 once its end is known.
  [[nodiscard]] std::uint64_t process() const noexcept { return static_cast<std::uint64_t>(process_); }
  /// Sends a signal. Does nothing once the process's end is known.
  void send(int signal) const noexcept;
  /// How the process ended, once; empty while it runs.
  [[nodiscard]] std::optional<ProcessEnd> try_wait() noexcept;
  [[nodiscard]] ProcessEnd wait() noexcept;

 private:
  explicit ChildProcess(int process) noexcept : process_(process) {}

  int process_ = 0;
};

/// While this lives, ends of children and the signals that ask this process to end (SIGINT, SIGTERM, SIGHUP) wait for
/// `wait`. For a process of one thread, before its first child.
class ProcessEvents {
 public:
  ProcessEvents() noexcept;
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;
  ~ProcessEvents();

  struct Event {
    int signal = 0;                 ///< SIGCHLD: children have ended, one or more. 0: the deadline has passed.
    bool is_from_terminal = false;  ///< Children in the same terminal get the signal too.
  };
  /// Blocks until the next event or the deadline.
  [[nodiscard]] Event wait(Deadline deadline = Deadline::max()) const noexcept;

 private:
  sigset_t waited_, before_;
  struct sigaction child_before_;
};

}  // namespace pintle::base
