// Commands as calls of the driver on one stream, and what they need until they are done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/memory.h"
#include "backends/cuda/program.h"
#include "kit/delivery.h"
#include "pintle/backend/command.h"

namespace pintle::cuda {

/// Larger copies from and to the host's memory go in pieces.
inline constexpr std::uint64_t most_staged = 1 << 20;

/// What one piece of a submission holds until it is done.
struct Batch {
  std::vector<Piece> staged;
  std::vector<kit::Delivery> deliveries;
  std::size_t commands = 0;  ///< That the driver has taken: they count against the depth of a stream.
  std::uint64_t serial = 0;  ///< With which it is done.
};

class Enqueue {
 public:
  Enqueue(Context& context, Arena& pinned, vendor::cuda::Stream stream, Batch& batch) noexcept
      : context_(context), pinned_(pinned), stream_(stream), batch_(batch) {}

  [[nodiscard]] Result<void> all(const backend::Commands& list);
  [[nodiscard]] Result<void> one(const backend::Command& command, const backend::Commands& list);
  [[nodiscard]] Result<void> launch(const backend::Exec& exec, const backend::Commands& list);
  /// Writes `bytes` to the range.
  [[nodiscard]] Result<void> write(DevicePointer to, std::span<const std::byte> bytes);

  Result<void> operator()(const backend::Copy& copy);
  Result<void> operator()(const backend::Fill& fill);
  Result<void> operator()(const backend::Upload& upload);
  Result<void> operator()(const backend::Download& download);
  /// Neither a launch, nor a step, nor what the device does not have comes here.
  template <class Other>
  Result<void> operator()(const Other&) {
    return Error(Errc::internal, "A command that the backend cuda does not have is enqueued.");
  }

 private:
  [[nodiscard]] Result<Piece> stage(std::uint64_t size);
  [[nodiscard]] Result<void> fill_words(DevicePointer to, std::uint64_t size, const backend::Scalar& pattern);
  [[nodiscard]] Result<void> started(Status status, std::string_view call);

  Context& context_;
  Arena& pinned_;
  const vendor::cuda::Stream stream_;
  Batch& batch_;
};

}  // namespace pintle::cuda
