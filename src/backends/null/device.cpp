#include "backends/null/device.h"

#include <fmt/format.h>

#include <limits>

#include "base/contain.h"
#include "kit/all_texels.h"

namespace pintle::null {
namespace {

Limits limits_of(std::uint64_t heap_bytes) {
  return {
      .max_allocation = heap_bytes,
      .max_binding = heap_bytes,
      .offset_alignment = 16,
      .max_grid = {65535, 65535, 65535},
      .max_group = {1024, 1024, 64},
      .max_group_items = 1024,
      .max_local_bytes = 48 << 10,
      .max_buffers = 64,
      .max_scalar_bytes = 512,
      .max_in_flight = 256,
      .max_image_2d = 1 << 14,
      .max_image_3d = 1 << 11,
      .max_texel_buffer = 1 << 27,
  };
}

// Every feature has a row: a device says why it cannot do what it cannot do.
std::vector<Capability> capabilities() {
  using enum Feature;
  using enum Support;
  return {
      {execution, absent, "commands are accepted and ordered, but there are no bytes to move or compute"},
      {copy_queue, native, ""},
      {host_call, native, ""},
      {timestamp, absent, "there are no bytes to write a reading to"},
      {indirect, absent, "there are no bytes to read a grid from"},
      {mapped_memory, absent, "memory has no address"},
      {recording, absent, "a list costs nothing to submit again"},
      {notification, absent, "nothing happens until somebody looks"},
      {host_import, absent, "memory has no address"},
      {memory_export, absent, "memory has no address"},
      {calibration, absent, "the virtual clock stands still"},
      {constants, absent, "nothing is compiled"},
      {local_arguments, native, ""},
      {float_atomics, absent, "nothing is computed"},
      {bounds, absent, "no kernel runs, so none leaves its bounds"},
      {images, native, ""},
      {texel_buffers, native, ""},
      {immediates, native, ""},
      {subgroups, absent, "nothing is computed"},
      {subgroup_matrices, absent, "nothing is computed"},
      {optional_buffers, native, ""},
  };
}

}  // namespace

DeviceInfo describe(std::uint64_t heap_bytes) {
  return {
      .id = "null",
      .backend = "null",
      .uuid = "",
      .name = "null device",
      .driver = "pintle null",
      .kind = DeviceKind::simulated,
      .progress = Progress::driven,  // a thread that submits, waits or polls looks at the clock
      .formats = {"*"},
      .target = "",
      .limits = limits_of(heap_bytes),
      .capabilities = capabilities(),
      .texels = kit::all_texels(),
      .buffer_texels = kit::all_buffer_texels(),
  };
}

Result<std::vector<Heap>> Device::budget() {
  return base::contain("reading the budget of [null]",
                       [&]() -> Result<std::vector<Heap>> { return std::vector<Heap>{memory_.heap()}; });
}

Result<backend::MemoryId> Device::allocate(const backend::MemoryRequest& request) {
  return base::contain("allocating on [null]", [&] { return memory_.allocate(request); });
}

void Device::release(backend::MemoryId memory) noexcept { memory_.release(memory); }

Result<backend::ProgramId> Device::load(const backend::ProgramImage& image) { return programs_.load(image); }

void Device::unload(backend::ProgramId program) noexcept { programs_.unload(program); }

Result<backend::QueueId> Device::create_queue(const backend::QueueRequest& request) {
  return base::contain("creating a queue on [null]",
                       [&]() -> Result<backend::QueueId> { return queues_.create(request); });
}

void Device::destroy_queue(backend::QueueId queue) noexcept { queues_.destroy(queue); }

Result<std::uint64_t> Device::submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                                     const backend::Commands& commands) {
  return base::contain("submitting to [null]",
                       [&]() -> Result<std::uint64_t> { return queues_.submit(queue, waits, commands); });
}

Result<std::uint64_t> Device::reached(backend::QueueId queue) {
  return base::contain("looking at a queue of [null]",
                       [&]() -> Result<std::uint64_t> { return queues_.reached(queue); });
}

Result<void> Device::wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) {
  return base::contain("waiting on [null]", [&]() -> Result<void> {
    if (queues_.wait(queue, serial, deadline)) return {};
    return Error(Errc::timeout, fmt::format("Serial ({}) of queue ({}) of [null] is not reached at the deadline.",
                                            serial, static_cast<std::uint64_t>(queue)));
  });
}

}  // namespace pintle::null
