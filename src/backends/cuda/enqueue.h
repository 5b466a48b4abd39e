// Commands as calls of the driver on one stream.
#pragma once

#include <cstdint>
#include <span>

#include "backends/cuda/staging.h"
#include "pintle/backend/command.h"

namespace pintle::cuda {

class Enqueue {
 public:
  Enqueue(Staging staging, vendor::cuda::Stream stream) noexcept : staging_(staging), stream_(stream) {}

  [[nodiscard]] Result<void> all(const backend::Commands& list);
  [[nodiscard]] Result<void> one(const backend::Command& command, const backend::Commands& list);
  [[nodiscard]] Result<void> launch(const backend::Exec& exec, const backend::Commands& list);
  /// Writes `bytes` to the range.
  [[nodiscard]] Result<void> write(DevicePointer to, std::span<const std::byte> bytes);

  Result<void> operator()(const backend::Copy& copy);
  Result<void> operator()(const backend::Fill& fill);
  Result<void> operator()(const backend::Upload& upload);
  Result<void> operator()(const backend::Download& download);
  Result<void> operator()(const backend::Replay& replay);
  /// Neither a launch, nor a step, nor what the device does not have comes here.
  template <class Other>
  Result<void> operator()(const Other&) {
    return Error(Errc::internal, "A command that the backend does not have is enqueued.");
  }

 private:
  [[nodiscard]] const vendor::cuda::Driver& api() const noexcept { return staging_.context().api(); }
  [[nodiscard]] Result<void> fill_words(DevicePointer to, std::uint64_t size, const backend::Scalar& pattern);

  Staging staging_;
  const vendor::cuda::Stream stream_;
};

}  // namespace pintle::cuda
