#include "backends/cpu/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "base/kernel_environment.h"
#include "kit/host_clock.h"
#include "kit/host_cpus.h"
#include "kit/memory_source.h"
#include "kit/native_types.h"
#include "pintle/native/cpu.h"

namespace pintle::cpu {

Result<std::unique_ptr<backend::Device>> Device::open(DeviceInfo info, const Settings& settings) {
  return base::contain("opening a device", [&]() -> Result<std::unique_ptr<backend::Device>> {
    std::unique_ptr<Device> device(new Device(std::move(info), settings));
    if (settings.progress == Progress::own) {
      constexpr Duration idle = std::chrono::microseconds(50);
      PINTLE_ASSIGN(pool, host::Pool::create({settings.threads, settings.rationed ? Duration::zero() : idle}));
      device->pool_ = std::move(pool);
    }
    return std::unique_ptr<backend::Device>(std::move(device));
  });
}

Result<backend::QueueId> Device::create_queue(const backend::QueueRequest& request) {
  return base::contain("creating a queue", [&]() -> Result<backend::QueueId> {
    PINTLE_ASSIGN(queue, host::Queue::create(*this, pool_.get(), request.first_serial));
    const std::lock_guard lock(queues_mutex_);
    retired_.reserve(retired_.size() + queues_.size() + 1);  // so that destroying needs no memory
    sweep_retired();
    const backend::QueueId id = queue->id();
    const auto free = std::ranges::find(queues_, nullptr);
    if (free == queues_.end()) queues_.push_back(std::move(queue));
    else *free = std::move(queue);
    return id;
  });
}

void Device::destroy_queue(backend::QueueId id) noexcept {
  const std::lock_guard lock(queues_mutex_);
  const auto place = std::ranges::find(queues_, &host::Queue::of(id), &std::shared_ptr<host::Queue>::get);
  if (place == queues_.end()) return;
  retired_.push_back(std::move(*place));  // its place stays: `run_one` may be on its way through the places
  sweep_retired();
}

/// Drops idle queues only: a worker may still be on its way out of a queue, and a wait that is not examined yet may
/// name one.
void Device::sweep_retired() noexcept {
  std::erase_if(retired_, [](const std::shared_ptr<host::Queue>& queue) { return queue->is_idle(); });
}

Result<void> Device::wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) {
  host::Queue& awaited = host::Queue::of(queue);
  if (settings_.progress == Progress::own || awaited.timeline().is_reached(serial))
    return awaited.wait(serial, deadline);
  return base::contain("waiting", [&] { return drive(awaited, serial, deadline); });
}

/// Inline: this thread runs what is runnable, unless another thread already does. It looks at the deadline between
/// submissions, after at least one, so that a poll makes progress.
Result<void> Device::drive(host::Queue& queue, std::uint64_t serial, Deadline deadline) {
  const auto is_over = [&] { return queue.timeline().is_reached(serial); };
  PINTLE_TRY(driver_.drive("cpu?inline", deadline, is_over, [&] {
    const base::KernelEnvironment usual;
    while (!is_over() && (queue.run_next() || run_one()) && Clock::now() < deadline) {
    }
  }));
  return queue.timeline().wait(serial, deadline);
}

/// Runs the next submission of every queue that has a runnable one; false when none has. Queues keep their places, so
/// that no queue is passed over while others come and go.
bool Device::run_one() noexcept {
  bool ran = false;
  for (std::size_t index = 0;; ++index) {
    std::shared_ptr<host::Queue> queue;
    {
      const std::lock_guard lock(queues_mutex_);
      if (index >= queues_.size()) return ran;
      queue = queues_[index];
    }
    ran = (queue != nullptr && queue->run_next()) || ran;
  }
}

Result<backend::RecordingId> Device::record(const backend::Commands& commands) {
  return base::contain("recording", [&]() -> Result<backend::RecordingId> {
    recordings_.push_back(std::make_unique<backend::Commands>(commands));
    return backend::RecordingId{reinterpret_cast<std::uintptr_t>(recordings_.back().get())};
  });
}

void Device::forget(backend::RecordingId recording) noexcept {
  std::erase_if(recordings_, [&](const std::unique_ptr<backend::Commands>& held) {
    return reinterpret_cast<std::uintptr_t>(held.get()) == static_cast<std::uintptr_t>(recording);
  });
}

Result<backend::ClockPair> Device::calibrate() { return kit::host_clock_pair(); }

Result<void> Device::native(std::string_view type, std::uint64_t object, void* out) {
  return base::contain("asking for native access", [&]() -> Result<void> {
    const auto memory_of = [&](std::uint64_t id) -> Result<std::optional<CpuMemory>> {
      const backend::MemoryId memory{id};
      return memory_.has(memory) ? std::optional(CpuMemory{block_of(memory).data}) : std::nullopt;
    };
    const CpuDevice device{pool_ == nullptr ? 0 : pool_->shape().threads, kit::host_cpus().quota.value_or(0)};
    return kit::answer_native({type, object, out}, "cpu", kit::native_type<CpuMemory>("a buffer", memory_of),
                              kit::native_device(device));
  });
}

Result<std::vector<Heap>> Device::budget() {
  return base::contain("asking for the memory budget",
                       [&]() -> Result<std::vector<Heap>> { return std::vector{memory_.heap()}; });
}

Result<backend::MemoryId> Device::allocate(const backend::MemoryRequest& request) { return memory_.allocate(request); }

void Device::release(backend::MemoryId memory) noexcept { memory_.release(memory); }

Result<std::span<std::byte>> Device::map(backend::MemoryId memory) {
  const Block& block = block_of(memory);
  return std::span(block.data, block.size);
}

Result<backend::MemoryId> Device::import_memory(const backend::MemorySource& source) {
  if (const auto* const bytes = std::get_if<std::span<std::byte>>(&source)) return memory_.adopt(*bytes);
  const auto* const native = std::get_if<backend::NativeMemory>(&source);
  if (native == nullptr || native->object.type != CpuMemory::native_type)
    return base::contain("refusing memory",
                         [&]() -> Result<backend::MemoryId> { return kit::refused_source(source, info_.id); });
  void* const address = static_cast<const CpuMemory*>(native->object.value)->address;
  if (address == nullptr) return Error(Errc::invalid_argument, "Member (address) of the CpuMemory is null.");
  return memory_.adopt({static_cast<std::byte*>(address), static_cast<std::size_t>(native->size)});
}

Result<backend::ProgramId> Device::load(const backend::ProgramImage& image) {
  return base::contain("loading a program", [&]() -> Result<backend::ProgramId> {
    PINTLE_ASSIGN(program, load_program(image));
    const std::lock_guard lock(programs_mutex_);
    programs_.push_back(std::move(program));
    return backend::ProgramId{reinterpret_cast<std::uintptr_t>(programs_.back().get())};
  });
}

void Device::unload(backend::ProgramId id) noexcept {
  std::unique_ptr<Program> gone;  // closed outside the lock: a library may run code of its own when it is closed
  const std::lock_guard lock(programs_mutex_);
  const auto place = std::ranges::find(programs_, &program_of(id), &std::unique_ptr<Program>::get);
  if (place == programs_.end()) return;
  gone = std::move(*place);
  programs_.erase(place);
}

}  // namespace pintle::cpu
