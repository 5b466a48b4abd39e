// A device's context: what its objects are made in, and what ends with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backends/cuda/found_device.h"
#include "backends/cuda/platform.h"
#include "kit/host_access.h"
#include "kit/loss.h"

namespace pintle::cuda {

/// One context. Thread-safe. The driver's context is current only while a `Current` lives.
class Context final : private kit::Loss::Waits {
 public:
  enum class Owner : std::uint8_t {
    us,      ///< Made by us alone.
    driver,  ///< The device's primary context, which is counted.
    caller,
  };
  /// A new context, or the primary one. `process_poisoned` where a kernel has faulted before in this process, whoever
  /// launched it.
  [[nodiscard]] static Result<std::unique_ptr<Context>> open(FoundDevice found, Owner owner);
  /// A context of the caller's; `invalid_argument` where it is not the device's.
  [[nodiscard]] static Result<std::unique_ptr<Context>> over(FoundDevice found, vendor::cuda::Context handle);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  [[nodiscard]] Platform& platform() const noexcept { return *found_.platform; }
  [[nodiscard]] const vendor::cuda::Driver& api() const noexcept { return api_; }
  [[nodiscard]] vendor::cuda::Context handle() const noexcept { return handle_; }
  [[nodiscard]] const FoundDevice& found() const noexcept { return found_; }
  [[nodiscard]] const std::string& id() const noexcept { return found_.info.id; }
  [[nodiscard]] const std::shared_ptr<kit::Loss>& loss() const noexcept { return loss_; }
  [[nodiscard]] kit::HostAccess& host() noexcept { return host_; }

  /// The error of a refused call. A code that ends the device loses it; a fault of a kernel loses every device of the
  /// backend in this process, since the driver answers that code everywhere.
  [[nodiscard]] Result<void> check(Status status, std::string_view call) {
    if (status == Status::CUDA_SUCCESS) return {};
    return refused(status, call);
  }
  /// What a function of the table answers with the context current: `ask<&Calls::cuMemFree>(address)`.
  template <auto Function, class... Arguments>
  [[nodiscard]] Status ask(Arguments... arguments) const;
  /// The same, checked.
  template <auto Function, class... Arguments>
  [[nodiscard]] Result<void> call(Arguments... arguments) {
    return check(ask<Function>(arguments...), vendor::cuda::name_of_function<Function>);
  }
  /// The same of a function that needs no current context, or has one.
  template <auto Function, class... Arguments>
  [[nodiscard]] Result<void> call_plainly(Arguments... arguments) {
    return check((api_.*Function)(arguments...), vendor::cuda::name_of_function<Function>);
  }
  /// The first cause of the loss.
  Error lose(const Error& error);
  /// The device closes with work that does not end: the driver would wait for it, so all is left to the driver.
  void leave() noexcept { is_left_.store(true); }
  [[nodiscard]] bool is_left() const noexcept { return is_left_.load() || loss_->is_lost(); }
  /// The loss that is told, for code that the host's gate has refused.
  [[nodiscard]] Error cause() const;

 private:
  Context(FoundDevice found, vendor::cuda::Context handle, Owner owner);
  [[nodiscard]] static Result<std::unique_ptr<Context>> take(FoundDevice found, vendor::cuda::Context handle,
                                                             Owner owner);
  [[nodiscard, gnu::cold]] Error refused(Status status, std::string_view call);
  void end_waits(const Error&) noexcept override { host_.close(); }

  const FoundDevice found_;
  const vendor::cuda::Driver& api_;
  const vendor::cuda::Context handle_;
  const Owner owner_;
  const std::shared_ptr<kit::Loss> loss_;
  kit::HostAccess host_;
  std::atomic<bool> is_left_{false};
};

/// Makes the context current for calls that need it, and restores what was.
class Current {
 public:
  explicit Current(const Context& context) : api_(context.api()), status_(api_.cuCtxPushCurrent(context.handle())) {}
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    vendor::cuda::Context ours = nullptr;
    if (status_ == Status::CUDA_SUCCESS) static_cast<void>(api_.cuCtxPopCurrent(&ours));
  }
  [[nodiscard]] Status status() const noexcept { return status_; }

 private:
  const vendor::cuda::Driver& api_;
  const Status status_;
};

template <auto Function, class... Arguments>
Status Context::ask(Arguments... arguments) const {
  const Current current(*this);
  return current.status() == Status::CUDA_SUCCESS ? (api_.*Function)(arguments...) : current.status();
}

}  // namespace pintle::cuda
