// Loaded programs: functions by entry point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dylib.h"
#include "base/hash.h"
#include "host/launch.h"
#include "pintle/backend/driver.h"
#include "pintle/native/cpu_kernel.h"

namespace pintle::cpu {

// Limits that core enforces before a launch.
inline constexpr std::uint32_t max_parameters = 64;
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

/// Any of the formats native, so and c.
[[nodiscard]] Result<std::unique_ptr<Program>> load_program(const backend::ProgramImage& image);

/// The function registered under `symbol`, or null.
[[nodiscard]] pintle_kernel registered_kernel(std::string_view symbol);

/// A program of the format c as the compiler gets it.
struct Compilation {
  std::vector<std::string> command;  ///< The compiler and its options.
  std::string source;
  base::Digest key{};  ///< The digest of all that the result depends on.

  [[nodiscard]] static Result<Compilation> of(const backend::ProgramImage& image);
};

}  // namespace pintle::cpu
