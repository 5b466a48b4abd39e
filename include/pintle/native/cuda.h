// Typed native access to the cuda backend. Handles and memory belong to the device, the buffer or the queue, and are
// valid while it lives. A wrapped object stays the caller's and has to outlive Pintle's use of it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::cuda {

/// `Device::native<CudaDevice>()`. For `wrap_native`: a context of the caller's, for example the primary one, which
/// CUDA's runtime, PyTorch and CuPy use.
struct CudaDevice {
  static constexpr std::string_view native_type = "cuda.device";
  int device = 0;           ///< CUdevice
  void* context = nullptr;  ///< CUcontext
};

/// `Buffer::native<CudaMemory>()`. The caller orders accesses by points. For `wrap_native`: memory that the driver has
/// given in the device's context, or a part of it. Two buffers over the same bytes are two memories for Pintle: order
/// their commands by a barrier or by points.
struct CudaMemory {
  static constexpr std::string_view native_type = "cuda.memory";
  std::uint64_t address = 0;  ///< CUdeviceptr
  void* host = nullptr;       ///< The same bytes for the host; null where it cannot see them.
  int device = 0;             ///< CUdevice of the buffer's device; `wrap_native` ignores it.

  void narrow(std::uint64_t bytes, std::uint64_t) noexcept {
    address += bytes;
    if (host != nullptr) host = static_cast<char*>(host) + bytes;
  }
};

/// `Queue::native<CudaQueue>()`. Work that others give to the stream runs in between, and no point covers it. For
/// `wrap_native`: a stream of the device's context, perhaps the default one (null).
struct CudaQueue {
  static constexpr std::string_view native_type = "cuda.queue";
  void* stream = nullptr;  ///< CUstream
};

}  // namespace pintle::cuda
