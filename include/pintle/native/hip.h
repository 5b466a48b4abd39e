// Typed native access to the hip backend. Handles and memory belong to the device, the buffer or the queue, and are
// valid while it lives. A wrapped object stays the caller's and has to outlive Pintle's use of it.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::hip {

/// `Device::native<HipDevice>()`. HIP has one context for each device, so that Pintle's work and others' share it. For
/// `wrap_native`: the device of that number.
struct HipDevice {
  static constexpr std::string_view native_type = "hip.device";
  int device = 0;  ///< hipDevice_t
};

/// `Buffer::native<HipMemory>()`. The caller orders accesses by points. For `wrap_native`: memory that the driver has
/// given on the device, or a part of it. Two buffers over the same bytes are two memories for Pintle: order their
/// commands by a barrier or by points.
struct HipMemory {
  static constexpr std::string_view native_type = "hip.memory";
  std::uint64_t address = 0;  ///< hipDeviceptr_t
  void* host = nullptr;       ///< The same bytes for the host; null where it cannot see them.
  int device = 0;             ///< hipDevice_t of the buffer's device; `wrap_native` ignores it.

  void narrow(std::uint64_t bytes, std::uint64_t) noexcept {
    address += bytes;
    if (host != nullptr) host = static_cast<char*>(host) + bytes;
  }
};

/// `Queue::native<HipQueue>()`. Work that others give to the stream runs in between, and no point covers it. For
/// `wrap_native`: a stream of the device, perhaps the default one (null).
struct HipQueue {
  static constexpr std::string_view native_type = "hip.queue";
  void* stream = nullptr;  ///< hipStream_t
};

}  // namespace pintle::hip
