// Typed native access to the opencl backend. The handles belong to the device, buffer or queue: retain those that you
// keep.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::opencl {

/// `Device::native<OpenClDevice>()`. For `wrap_native`, the context may have other devices too.
struct OpenClDevice {
  static constexpr std::string_view native_type = "opencl.device";
  void* platform = nullptr;  ///< cl_platform_id
  void* device = nullptr;    ///< cl_device_id
  void* context = nullptr;   ///< cl_context
};

/// `Buffer::native<OpenClMemory>()`. Valid while the buffer lives; the caller orders accesses by points. For
/// `wrap_native`: a buffer of the device's context; the backend asks OpenCL for its address.
struct OpenClMemory {
  static constexpr std::string_view native_type = "opencl.memory";
  void* memory = nullptr;     ///< cl_mem
  std::uint64_t address = 0;  ///< The address for kernels that take one; 0 outside shared virtual memory.
  std::uint64_t offset = 0;   ///< The first byte's place in the cl_mem; `address` has it already. 0 for `wrap_native`.

  void narrow(std::uint64_t bytes, std::uint64_t) noexcept {
    offset += bytes;
    if (address != 0) address += bytes;
  }
};

/// `Queue::native<OpenClQueue>()`. Commands that others enqueue to it run in between, and no point covers them. Every
/// call gives the same handle. The queue measures time from the first call on where the device's clock needs it, which
/// costs each launch a little. For `wrap_native`: a queue of the device's context, in order. A queue that was made
/// without profiling takes no timestamps (`unsupported`) where the device's clock needs it.
struct OpenClQueue {
  static constexpr std::string_view native_type = "opencl.queue";
  void* queue = nullptr;  ///< cl_command_queue, in order
};

}  // namespace pintle::opencl
