// Commands as calls of the driver on one stream.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "backends/cuda/clock.h"
#include "backends/cuda/staging.h"
#include "pintle/backend/command.h"

namespace pintle::cuda {

class Enqueue {
 public:
  /// `stamps`: the timestamps that begin.
  Enqueue(Staging staging, vendor::cuda::Stream stream, DeviceClock& clock, std::vector<Stamp>& stamps) noexcept
      : staging_(staging), stream_(stream), clock_(clock), stamps_(stamps) {}

  [[nodiscard]] Result<void> all(const backend::Commands& list);
  [[nodiscard]] Result<void> one(const backend::Command& command, const backend::Commands& list) {
    const auto* const exec = std::get_if<backend::Exec>(&command.operation);
    return exec != nullptr ? launch(*exec, list) : std::visit(*this, command.operation);
  }
  [[nodiscard]] Result<void> launch(const backend::Exec& exec, const backend::Commands& list);
  /// Writes `bytes` to the range.
  [[nodiscard]] Result<void> write(DevicePointer to, std::span<const std::byte> bytes);

  Result<void> operator()(const backend::Copy& copy);
  Result<void> operator()(const backend::Fill& fill);
  Result<void> operator()(const backend::Upload& upload);
  Result<void> operator()(const backend::Download& download);
  Result<void> operator()(const backend::Replay& replay);
  Result<void> operator()(const backend::Timestamp& time);
  /// Neither a launch, nor a step, nor what the device does not have comes here.
  template <class Other>
  Result<void> operator()(const Other&) {
    return Error(Errc::internal, "A command that the backend does not have is enqueued.");
  }

 private:
  [[nodiscard]] Result<void> fill_words(DevicePointer to, std::uint64_t size, const backend::Scalar& pattern);

  Staging staging_;
  const vendor::cuda::Stream stream_;
  DeviceClock& clock_;
  std::vector<Stamp>& stamps_;
};

}  // namespace pintle::cuda
