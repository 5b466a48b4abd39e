#include "backends/webgpu/memory.h"

#include "kit/host_cpus.h"
#include "kit/memory_source.h"

namespace pintle::webgpu {

namespace {

constexpr std::uint64_t granularity = 16;  // kernels see whole words, and vectors of four

}  // namespace

Result<backend::MemoryId> MemoryTable::allocate(const backend::MemoryRequest& request) {
  if (request.image != nullptr) return Error(Errc::unsupported, fmt::format("[{}] has no images.", context_.id()));
  namespace usage = wg::buffer_usage;
  auto allocation = std::make_unique<Allocation>();
  allocation->size = request.size;
  allocation->whole = (request.size + granularity - 1) / granularity * granularity;
  wg::BufferDescriptor wanted;
  wanted.usage = usage::copy_source | usage::copy_target | usage::storage | usage::uniform;
  wanted.size = allocation->whole;
  Catch failures(context_);
  allocation->buffer = {context_.api, context_.api.DeviceCreateBuffer(context_.device(), &wanted)};
  auto made = failures.check("memory");
  if (made && !allocation->buffer) made = Error(Errc::out_of_memory, "The implementation gives no buffer.");
  if (!made) {
    // Size and usage are within the limits, so that memory is all that can be missing, by whatever name it is told.
    PINTLE_TRY(context_.alive());
    const std::vector<Heap> all = heaps();
    return kit::exhausted(request, context_.id(), all, made.error());
  }
  const std::uint64_t size = allocation->size;
  const backend::MemoryId id = allocations_.add(std::move(allocation));
  const std::lock_guard lock(mutex_);
  used_ += size;
  return id;
}

void MemoryTable::release(backend::MemoryId memory) noexcept {
  const auto gone = allocations_.remove(memory);
  if (gone == nullptr) return;
  // Memory comes back now, and not when the implementation looks at what nobody names any more.
  context_.api.BufferDestroy(gone->buffer.get());
  const std::lock_guard lock(mutex_);
  used_ -= gone->size;
}

std::vector<Heap> MemoryTable::heaps() {
  const std::lock_guard lock(mutex_);
  if (!context_.abilities().computes_on_host)
    return {{"device memory", 0, std::nullopt, used_, "WebGPU tells no sizes of memory"}};
  const kit::HostMemory host = kit::host_memory("/");
  return {{"device memory", host.total, host.available, used_, "/proc/meminfo, since the device is in software"}};
}

}  // namespace pintle::webgpu
