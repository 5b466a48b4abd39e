#include "backends/cuda/context.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"

namespace pintle::cuda {
namespace {

/// What a kernel's fault does to the process: the driver answers its code in every context, those made later too.
class Poison {
 public:
  static Poison& instance() {
    static Poison& poison = *new Poison;
    return poison;
  }

  void add(const std::shared_ptr<kit::Loss>& loss) {
    const std::lock_guard lock(mutex_);
    std::erase_if(devices_, [](const auto& each) { return each.expired(); });
    devices_.push_back(loss);
  }
  [[nodiscard]] std::optional<Error> cause() {
    const std::lock_guard lock(mutex_);
    return cause_;
  }
  void spread(const Error& cause) {
    std::unique_lock lock(mutex_);
    if (!cause_) cause_ = cause;
    const std::vector<std::weak_ptr<kit::Loss>> devices = devices_;
    lock.unlock();
    for (const auto& each : devices) {
      if (const auto loss = each.lock()) static_cast<void>(loss->lose(cause));
    }
  }

 private:
  std::mutex mutex_;
  std::optional<Error> cause_;
  std::vector<std::weak_ptr<kit::Loss>> devices_;
};

bool ends_device(Errc code) noexcept { return code == Errc::device_lost || code == Errc::process_poisoned; }

}  // namespace

Result<std::unique_ptr<Context>> Context::open(FoundDevice found) {
  if (const auto cause = Poison::instance().cause()) return Error(*cause);
  vendor::cuda::Context handle = nullptr;
  const Status status = api().cuCtxCreate(&handle, vendor::cuda::context_schedule_auto, found.device);
  if (status != Status::CUDA_SUCCESS)
    return failure(status, fmt::format("The driver makes no context on [{}].", found.info.id));
  vendor::cuda::Context made = nullptr;
  static_cast<void>(api().cuCtxPopCurrent(&made));  // a new context is current, and the thread had another
  std::unique_ptr<Context> context(new Context(std::move(found), handle));
  Poison::instance().add(context->loss_);
  return context;
}

Context::Context(FoundDevice found, vendor::cuda::Context handle)
    : found_(std::move(found)), handle_(handle), loss_(std::make_shared<kit::Loss>(found_.info.id)) {
  loss_->add(*this);
}

Context::~Context() {
  loss_->remove(*this);
  if (!is_left()) static_cast<void>(api().cuCtxDestroy(handle_));
  else base::log(LogLevel::warn, "cuda", "The context of [{}] is left to the driver.", id());
}

Result<void> Context::check(Status status, std::string_view call) {
  if (status == Status::CUDA_SUCCESS) return {};
  Error error = failure(status, fmt::format("The driver refuses the call ({}) on [{}].", call, id()));
  if (!ends_device(error.code())) return error;
  return lose(error);
}

Error Context::lose(const Error& error) {
  Error cause = loss_->lose(error);
  if (cause.code() == Errc::process_poisoned) Poison::instance().spread(cause);
  return cause;
}

Error Context::cause() const {
  const auto alive = loss_->check();
  return alive ? Error(Errc::device_lost, fmt::format("[{}] is being given up.", id())) : alive.error();
}

}  // namespace pintle::cuda
