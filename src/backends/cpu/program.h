// Loaded programs: functions by entry point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dylib.h"
#include "host/launch.h"
#include "pintle/backend/driver.h"
#include "pintle/native/cpu_kernel.h"

namespace pintle::cpu {

using host::max_local_bytes;

using host::Kernel;

/// A ProgramId is its address.
struct Program {
  std::vector<Kernel> kernels;  ///< In the order of the image's entries.
  std::optional<base::Dylib> library;
};

[[nodiscard]] inline const Program& program_of(backend::ProgramId id) noexcept {
  return *reinterpret_cast<const Program*>(static_cast<std::uintptr_t>(id));
}

/// Any of the formats native, so, c and opencl_c.
[[nodiscard]] Result<std::unique_ptr<Program>> load_program(const backend::ProgramImage& image);

/// The function registered under `symbol`, or null.
[[nodiscard]] pintle_cpu_kernel registered_kernel(std::string_view symbol);

}  // namespace pintle::cpu
