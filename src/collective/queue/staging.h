// Memory on the host that device bytes pass through, and the queue that carries them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pintle/buffer.h"
#include "pintle/commands.h"
#include "pintle/device.h"
#include "pintle/error.h"
#include "pintle/queue.h"
#include "pintle/signal.h"

namespace pintle::collective {

/// One piece of device memory, as u8, and where it lies in a slot.
struct StagedPiece {
  BufferView view;
  std::uint64_t offset = 0;
};

/// Two slots for each direction, so that one is carried while the host works on the other. Where the host can map what
/// the device places for it, the device copies; elsewhere its driver uploads and downloads.
class Staging {
 public:
  static constexpr std::size_t slots = 4;

  [[nodiscard]] static Result<std::unique_ptr<Staging>> create(const Device& device, std::uint64_t slot_bytes);

  /// What the host reads and writes.
  [[nodiscard]] std::span<std::byte> bytes(std::size_t slot) const noexcept { return slots_[slot].bytes; }
  /// Success, or why the device that the slots belong to is lost.
  [[nodiscard]] Result<void> health() const { return health(queue_); }
  /// Asks through another queue of the device, which is the calling thread's.
  [[nodiscard]] Result<void> health(const Queue& queue) const { return queue.check(witness_.view(), Access::read); }
  /// True where the device itself copies to and from the slots.
  [[nodiscard]] bool is_mapped() const noexcept { return slots_[0].owner == nullptr; }

  /// From the device to the slot. The slot is the host's again when the point is reached.
  Result<Point> pull(std::size_t slot, std::span<const StagedPiece> pieces);
  /// From the slot to the device; then `signal` are raised.
  Result<Point> push(std::size_t slot, std::span<const StagedPiece> pieces, std::vector<Point> signal);

 private:
  struct Slot {
    Buffer buffer;                     // the host's memory, as the device sees it
    std::shared_ptr<std::byte> owner;  // or memory that it does not see
    std::span<std::byte> bytes;
  };
  explicit Staging(Queue queue) noexcept : queue_(std::move(queue)) {}
  static Result<Slot> create_slot(const Device& device, std::uint64_t size);

  Queue queue_;
  std::array<Slot, slots> slots_;
  Buffer witness_;  // of the device's incarnation
};

}  // namespace pintle::collective
