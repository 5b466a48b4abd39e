// Pinned memory on the way between the host's memory and the device: a driver copies other memory at the call, or
// waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/memory.h"
#include "kit/delivery.h"
#include "pintle/backend/command.h"

namespace pintle::cuda {

/// Larger copies from and to the host's memory go in pieces.
inline constexpr std::uint64_t most_staged = 1 << 20;

/// Staged bytes begin at multiples of this.
inline constexpr std::uint64_t staged_alignment = 256;
/// Bytes of the host that a command reads or writes.
[[nodiscard]] std::uint64_t host_bytes_of(const backend::Command& command) noexcept;
/// The pinned memory that a command needs; a replay's is the recording's.
[[nodiscard]] std::uint64_t staged_bytes(const backend::Command& command) noexcept;

/// What wants to know when its launch has ended.
class Timed {
 public:
  virtual void learn() noexcept = 0;

 protected:
  ~Timed() = default;
};

/// What one piece of a submission holds until it is done.
struct Batch {
  std::optional<Piece> staged;
  std::uint64_t used = 0;  ///< Bytes of `staged`.
  std::vector<kit::Delivery> deliveries;
  std::vector<Timed*> timed;  ///< Whose launch has its time taken.
  std::size_t commands = 0;   ///< That the driver has taken: they count against the depth of a stream.
  std::uint64_t serial = 0;   ///< With which it is done.
};

class Staging {
 public:
  Staging(Context& context, Batch& batch) noexcept : context_(context), batch_(batch) {}

  [[nodiscard]] Context& context() const noexcept { return context_; }
  [[nodiscard]] Batch& batch() const noexcept { return batch_; }
  /// Gives the driver a command by a function of its table; it counts, unless the driver refuses.
  template <auto Function, class... Arguments>
  [[nodiscard]] Result<void> start(Arguments... arguments) {
    PINTLE_TRY(context_.call_plainly<Function>(arguments...));
    ++batch_.commands;
    return {};
  }
  /// A copy of the bytes.
  [[nodiscard]] Result<std::byte*> copy_of(std::span<const std::byte> bytes);
  /// What the device writes here goes to `target` when the piece is done.
  [[nodiscard]] Result<std::byte*> place_for(std::byte* target, std::uint64_t size);

 private:
  [[nodiscard]] Result<std::byte*> take(std::uint64_t size);

  Context& context_;
  Batch& batch_;
};

}  // namespace pintle::cuda
