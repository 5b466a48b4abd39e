// A function of the host as a command.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "pintle/error.h"

namespace pintle::core {

/// A user's function. A recording may run it from several replays at once; the function must allow that.
class HostFunction {
 public:
  explicit HostFunction(std::function<void()> function) noexcept : function_(std::move(function)) {}
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;

  /// Inside the function, blocking on Pintle is refused. An exception becomes the error of the run, `cancelled`.
  [[nodiscard]] std::optional<Error> call() noexcept;

 private:
  std::function<void()> function_;
};

/// One run of a function. The state of a `backend::HostCall` is the address of a HostRun. Every submission has its own,
/// so that an error is charged to the submission that it came from.
class HostRun {
 public:
  HostRun() noexcept = default;
  explicit HostRun(HostFunction& function) noexcept : function_(&function) {}
  HostRun(const HostRun&) = delete;
  HostRun& operator=(const HostRun&) = delete;

  void set(HostFunction& function) noexcept { function_ = &function; }
  [[nodiscard]] HostFunction& function() const noexcept { return *function_; }
  /// `backend::HostCall::call`.
  static void run(void* state) noexcept;
  /// Returns the error of the run, once. Called when the submission's serial is reached.
  [[nodiscard]] std::optional<Error> take_error() noexcept;

 private:
  HostFunction* function_ = nullptr;
  std::mutex mutex_;
  std::optional<Error> error_;
};

/// A function in a list, with the run that belongs to the list's submission.
struct ListedFunction {
  explicit ListedFunction(std::function<void()> body) noexcept : function(std::move(body)), run(function) {}
  HostFunction function;
  HostRun run;
};

}  // namespace pintle::core
