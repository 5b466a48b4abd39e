#include "collective/queue/staging.h"

#include <utility>

#include "base/contain.h"

namespace pintle::collective {
namespace {

/// A queue that runs beside compute, where the device has such queues.
Result<Queue> create_copy_queue(const Device& device) {
  const bool has_copy_queues = device.info().capability(Feature::copy_queue).support != Support::absent;
  return device.create_queue({has_copy_queues ? QueueKind::copy : QueueKind::compute, "collective staging"});
}

Result<Buffer> allocate_mapped(const Device& device, std::uint64_t size) {
  return device.allocate(DType::u8, Shape{size}, {.label = "collective staging", .placement = Placement::host});
}

}  // namespace

Result<Staging::Slot> Staging::create_slot(const Device& device, std::uint64_t size) {
  Slot slot;
  if (device.info().capability(Feature::mapped_memory).support == Support::native) {
    PINTLE_ASSIGN(buffer, allocate_mapped(device, size));
    const auto mapped = buffer.map();
    if (!mapped && mapped.error().code() != Errc::unsupported) return mapped.error();
    if (mapped) {
      slot.bytes = *mapped;
      slot.buffer = std::move(buffer);
      return slot;
    }
  }
  std::shared_ptr<std::byte[]> memory = std::make_shared<std::byte[]>(size);
  slot.bytes = {memory.get(), size};
  slot.owner = {memory, memory.get()};
  return slot;
}

Result<std::unique_ptr<Staging>> Staging::create(const Device& device, std::uint64_t slot_bytes) {
  PINTLE_ASSIGN(queue, create_copy_queue(device));
  std::unique_ptr<Staging> staging(new Staging(std::move(queue)));
  for (Slot& slot : staging->slots_) {
    PINTLE_ASSIGN(made, create_slot(device, slot_bytes));
    slot = std::move(made);
  }
  PINTLE_ASSIGN(witness, device.allocate(DType::u8, Shape{1}, {.label = "collective witness"}));
  staging->witness_ = std::move(witness);
  return staging;
}

Result<Point> Staging::pull(std::size_t slot, std::span<const StagedPiece> pieces) {
  CommandList list;
  const Slot& to = slots_[slot];
  for (const StagedPiece& piece : pieces) {
    const std::uint64_t size = piece.view.size_bytes();
    if (to.owner != nullptr) {
      list.download_retained(to.owner, to.bytes.subspan(piece.offset, size), piece.view);
      continue;
    }
    PINTLE_ASSIGN(place, to.buffer.slice(piece.offset, size));
    list.copy(place, piece.view);
  }
  return queue_.submit(std::move(list));
}

Result<Point> Staging::push(std::size_t slot, std::span<const StagedPiece> pieces, std::vector<Point> signal) {
  CommandList list;
  const Slot& from = slots_[slot];
  for (const StagedPiece& piece : pieces) {
    const std::uint64_t size = piece.view.size_bytes();
    if (from.owner != nullptr) {
      list.upload_retained(piece.view, from.owner, from.bytes.subspan(piece.offset, size));
      continue;
    }
    PINTLE_ASSIGN(place, from.buffer.slice(piece.offset, size));
    list.copy(piece.view, place);
  }
  return queue_.submit(std::move(list), {.signal = std::move(signal)});
}

}  // namespace pintle::collective
