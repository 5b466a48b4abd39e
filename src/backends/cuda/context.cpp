#include "backends/cuda/context.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"

namespace pintle::cuda {
namespace {

bool ends_device(Errc code) noexcept { return code == Errc::device_lost || code == Errc::process_poisoned; }

}  // namespace

Result<std::unique_ptr<Context>> Context::open(FoundDevice found, Owner owner) {
  Platform& platform = *found.platform;
  if (const auto cause = platform.poison().cause()) return Error(*cause);
  vendor::cuda::Context handle = nullptr, made = nullptr;
  const Status status = owner == Owner::us
                            ? platform.api().cuCtxCreate(&handle, vendor::cuda::context_schedule_auto, found.device)
                            : platform.api().cuDevicePrimaryCtxRetain(&handle, found.device);
  if (status != Status::CUDA_SUCCESS)
    return platform.failure(status, fmt::format("The driver makes no context on [{}].", found.info.id));
  if (owner == Owner::us)  // a new context is current, and the thread had another
    static_cast<void>(platform.api().cuCtxPopCurrent(&made));
  return take(std::move(found), handle, owner);
}

Result<std::unique_ptr<Context>> Context::over(FoundDevice found, vendor::cuda::Context handle) {
  if (const auto cause = found.platform->poison().cause()) return Error(*cause);
  const vendor::cuda::Device device = found.device;
  PINTLE_ASSIGN(context, take(std::move(found), handle, Owner::caller));
  vendor::cuda::Device its = -1;
  PINTLE_TRY(context->call<&Calls::cuCtxGetDevice>(&its));
  if (its == device) return std::move(context);
  return Error(Errc::invalid_argument,
               fmt::format("The context to wrap is of the device ({}), not of ({}).", its, device));
}

Result<std::unique_ptr<Context>> Context::take(FoundDevice found, vendor::cuda::Context handle, Owner owner) {
  std::unique_ptr<Context> context(new Context(std::move(found), handle, owner));
  context->platform().poison().add(context->loss_);
  return context;
}

Context::Context(FoundDevice found, vendor::cuda::Context handle, Owner owner)
    : found_(std::move(found)),
      api_(found_.platform->api()),
      handle_(handle),
      owner_(owner),
      loss_(std::make_shared<kit::Loss>(found_.info.id)) {
  loss_->add(*this);
}

Context::~Context() {
  loss_->remove(*this);
  if (owner_ == Owner::caller) return;
  if (is_left())
    base::log(LogLevel::warn, platform().names().backend, "The context of [{}] is left to the driver.", id());
  else if (owner_ == Owner::us) static_cast<void>(api_.cuCtxDestroy(handle_));
  else static_cast<void>(api_.cuDevicePrimaryCtxRelease(found_.device));
}

Error Context::refused(Status status, std::string_view call) {
  Error error = platform().failure(
      status, fmt::format("The driver refuses the call ({}) on [{}].", platform().name_of(call), id()));
  if (!ends_device(error.code())) return error;
  return lose(error);
}

Error Context::lose(const Error& error) {
  Error cause = loss_->lose(error);
  if (cause.code() == Errc::process_poisoned) platform().poison().spread(cause);
  return cause;
}

Error Context::cause() const {
  const auto alive = loss_->check();
  return alive ? Error(Errc::device_lost, fmt::format("[{}] is being given up.", id())) : alive.error();
}

}  // namespace pintle::cuda
