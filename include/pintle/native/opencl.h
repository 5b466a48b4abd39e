// Typed native access to the opencl backend. The handles belong to the device, buffer or queue; retain what you keep.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::opencl {

/// `Device::native<OpenClDevice>()`; for `wrap_native`: the context may have other devices too.
struct OpenClDevice {
  static constexpr std::string_view native_type = "opencl.device";
  void* platform = nullptr;  ///< cl_platform_id
  void* device = nullptr;    ///< cl_device_id
  void* context = nullptr;   ///< cl_context, of this one device
};

/// `Buffer::native<OpenClMemory>()`: valid while the buffer lives; ordering is the caller's. For `wrap_native`: a
/// buffer of the device's context, whose address is asked for.
struct OpenClMemory {
  static constexpr std::string_view native_type = "opencl.memory";
  void* memory = nullptr;     ///< cl_mem
  std::uint64_t address = 0;  ///< For kernels that take addresses; 0 where it is no shared virtual memory.
  std::uint64_t offset = 0;   ///< The first byte's place in the cl_mem; `address` has it already. 0 for `wrap_native`.

  void narrow(std::uint64_t bytes, std::uint64_t) noexcept {
    offset += bytes;
    if (address != 0) address += bytes;
  }
};

/// `Queue::native<OpenClQueue>()`: commands that others enqueue run in between, and no point covers them. The
/// handle is the same from the first call on, and measures time as the device's clock needs it, which costs each launch
/// a little. For `wrap_native`: a queue of the device's context, in order. One that was made without profiling takes no
/// timestamps (`unsupported`) where the device's clock needs it.
struct OpenClQueue {
  static constexpr std::string_view native_type = "opencl.queue";
  void* queue = nullptr;  ///< cl_command_queue, in order
};

}  // namespace pintle::opencl
