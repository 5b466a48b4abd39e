// Ranks as processes: children of the test that do little and leave.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace pintle::collective {

/// A child that runs `work`, which answers whether all was well, and exits. Killed and waited for at the latest when
/// this goes.
class Forked {
 public:
  template <class Work>
  explicit Forked(Work work) : process_(::fork()) {
    if (process_ == 0) ::_exit(work() ? 0 : 1);
  }
  Forked(Forked&& other) noexcept : process_(std::exchange(other.process_, -1)) {}
  Forked& operator=(Forked&&) = delete;
  ~Forked() {
    if (process_ > 0) {
      kill();
      static_cast<void>(status());
    }
  }

  [[nodiscard]] pid_t process() const noexcept { return process_; }
  void kill() const noexcept { ::kill(process_, SIGKILL); }
  /// Waits for its end: what `waitpid` says.
  int status() noexcept {
    int status = -1;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }
  /// Waits for its end; true when `work` did.
  bool is_well() noexcept { return status() == 0; }

 private:
  pid_t process_;
};

}  // namespace pintle::collective
