#include "core/list/host_function.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "core/door/thread_context.h"

namespace pintle::core {
namespace {

/// The function must be called inside a catch block.
Error error_of_call() noexcept {
  try {
    throw;
  } catch (const std::exception& exception) {
    try {
      return {Errc::cancelled, fmt::format("Host call throws ({}).", exception.what())};
    } catch (...) {
      return {Errc::cancelled, "Host call throws."};
    }
  } catch (...) {
    return {Errc::cancelled, "Host call throws (an exception that is no std::exception)."};
  }
}

}  // namespace

std::optional<Error> HostFunction::call() noexcept {
  const NoBlocking scope;
  try {
    function_();
    return std::nullopt;
  } catch (...) {
    return error_of_call();
  }
}

void HostRun::run(void* state) noexcept {
  auto& self = *static_cast<HostRun*>(state);
  auto error = self.function_->call();
  if (!error) return;
  const std::scoped_lock lock(self.mutex_);
  if (!self.error_) self.error_ = std::move(error);
}

std::optional<Error> HostRun::take_error() noexcept {
  const std::scoped_lock lock(mutex_);
  return std::exchange(error_, std::nullopt);
}

}  // namespace pintle::core
