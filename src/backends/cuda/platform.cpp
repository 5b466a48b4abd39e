#include "backends/cuda/platform.h"

#include <utility>

namespace pintle::cuda {

void Poison::add(const std::shared_ptr<kit::Loss>& loss) {
  const std::lock_guard lock(mutex_);
  std::erase_if(devices_, [](const auto& each) { return each.expired(); });
  devices_.push_back(loss);
}

std::optional<Error> Poison::cause() {
  const std::lock_guard lock(mutex_);
  return cause_;
}

void Poison::spread(const Error& cause) {
  std::unique_lock lock(mutex_);
  if (!cause_) cause_ = cause;
  const std::vector<std::weak_ptr<kit::Loss>> devices = devices_;
  lock.unlock();
  for (const auto& each : devices) {
    if (const auto loss = each.lock()) static_cast<void>(loss->lose(cause));
  }
}

Error Platform::failure(Status status, std::string message) const {
  const vendor::cuda::StatusRow row = row_of(status);
  std::string name = loaded() ? library() : std::string();
  return Error(row.code, std::move(message))
      .with_vendor({std::move(name), static_cast<std::int64_t>(status), std::string(row.symbol)});
}

}  // namespace pintle::cuda
