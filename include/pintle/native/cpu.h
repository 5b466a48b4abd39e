// Typed native access to the cpu backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pintle/error.h"
#include "pintle/native/cpu_kernel.h"

namespace pintle::cpu {

/// Makes `kernel` the code of entries named `symbol` in programs of the format `native`, for the whole process.
/// A second function under the same name is `invalid_argument`. Thread-safe.
[[nodiscard]] Result<void> register_kernel(std::string_view symbol, pintle_cpu_kernel kernel);

/// `Buffer::native<CpuMemory>()`: the address of the bytes. Valid while the buffer lives; the caller orders accesses by
/// points.
struct CpuMemory {
  static constexpr std::string_view native_type = "cpu.memory";
  void* address = nullptr;

  void narrow(std::uint64_t offset, std::uint64_t) noexcept { address = static_cast<std::byte*>(address) + offset; }
};

/// `Device::native<CpuDevice>()`.
struct CpuDevice {
  static constexpr std::string_view native_type = "cpu.device";
  std::uint32_t threads = 0;  ///< Threads that may execute at once; 0 in inline mode: the calling one.
  double quota = 0;           ///< Processors that the process's cgroup pays for; 0 where it has no limit.
};

}  // namespace pintle::cpu
