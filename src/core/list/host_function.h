// A function of the host as a command.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "pintle/error.h"

namespace pintle::core {

/// What stands behind a `backend::HostCall`: its state is the address of one of these. A recording may run it from
/// several replays at once, as the caller's function must expect.
class HostFunction {
 public:
  explicit HostFunction(std::function<void()> function) noexcept : function_(std::move(function)) {}
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;

  /// `backend::HostCall::call`. Blocking on Pintle is refused inside; an exception becomes the error of the run.
  static void run(void* state) noexcept;
  /// The first error since the last call, `cancelled`. Asked when the submission's serial is reached.
  [[nodiscard]] std::optional<Error> take_error() noexcept;

 private:
  void keep(Error error) noexcept;

  std::function<void()> function_;
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace pintle::core
