#include "backends/cuda/device.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "kit/guarded.h"
#include "kit/memory_source.h"
#include "kit/probe.h"

namespace pintle::cuda {

Result<std::unique_ptr<backend::Device>> Device::over(std::unique_ptr<Context> context) {
  std::unique_ptr<Device> device(new Device(std::move(context)));
  device->warm_up();
  const std::shared_ptr<kit::Loss> loss = device->context_->loss();
  kit::StepQueues& steps = device->queues_.steps;
  return std::unique_ptr<backend::Device>(std::make_unique<kit::Guarded>(
      std::move(device), loss, steps, kit::Driving::loads_wait, &MemoryTable::waits_for_kernels));
}

Device::Device(std::unique_ptr<Context> context)
    : context_(std::move(context)),
      memory_(*context_),
      programs_(*context_),
      queues_{*context_, memory_, EventPool(*context_, vendor::cuda::event_disable_timing), DeviceClock(*context_)} {}

/// A first block of pinned memory, so that the first submissions need not ask for it. Where there is none, they do.
void Device::warm_up() {
  const auto piece = memory_.pinned().take({1, 1, Placement::host, "staging"});
  if (piece) memory_.pinned().give_back(*piece);
}

/// Queues go first: their threads use what the others have.
Device::~Device() { queues_.table.clear(); }

Result<backend::MemoryId> Device::allocate(const backend::MemoryRequest& request) {
  if (request.size <= info().limits.max_allocation) return memory_.allocate(request);
  return kit::exhausted(request, "the largest allocation of the device", info().limits.max_allocation);
}

Result<std::span<std::byte>> Device::map(backend::MemoryId id) {
  const Piece& piece = Memories::at(id);
  if (piece.host() != nullptr) return std::span(piece.host(), piece.size);
  return Error(Errc::unsupported,
               fmt::format("Memory of ({} bytes) on [{}] has no address for the host: it is not placed on the host.",
                           piece.size, info().id));
}

Result<backend::MemoryId> Device::import_memory(const backend::MemorySource& source) {
  if (const auto* const bytes = std::get_if<std::span<std::byte>>(&source)) return memory_.import(*bytes);
  const auto* const native = std::get_if<backend::NativeMemory>(&source);
  if (native == nullptr) return kit::refused_source(source, info().id);
  PINTLE_ASSIGN(block, given_memory(*context_, *native));
  return memory_.import(std::move(block));
}

Result<backend::QueueId> Device::wrap_queue(const backend::NativeObject& queue, const backend::QueueRequest& request) {
  PINTLE_ASSIGN(stream, given_stream(*context_, queue));
  return Queue::over(queues_, stream, request.first_serial, Queue::Owner::caller);
}

Result<backend::RecordingId> Device::record(const backend::Commands& commands) {
  PINTLE_ASSIGN(recording, Recording::create(*context_, commands));
  return recordings_.add(std::move(recording));
}

/// Fills four bytes.
Result<void> Device::probe() {
  PINTLE_ASSIGN(memory, allocate({4, 1, Placement::device, "probe"}));
  const backend::Command fill{backend::Fill{{memory, 0, 0, 4}, {}, 4, DType::u32}, nullptr, false};
  const auto done = kit::probe(*this, {std::span(&fill, 1), {}});
  if (!done && done.error().code() != Errc::out_of_memory) return context_->lose(done.error());
  release(memory);
  return done;
}

}  // namespace pintle::cuda
