// Loaded programs: functions by entry point.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dylib.h"
#include "kit/host_team.h"
#include "pintle/backend/driver.h"
#include "pintle/native/cpu_kernel.h"

namespace pintle::cpu {

struct Kernel {
  pintle_kernel code = nullptr;
  Grid size;
  std::uint32_t local_bytes = 0;
  mutable kit::LoopCost cost{};  ///< Of one group.
};

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

/// The shared object that the C compiler makes of the image's source.
[[nodiscard]] Result<std::vector<std::byte>> compile_c(const backend::ProgramImage& image,
                                                       std::span<const std::string> command);
/// The compiler and all its arguments except the files' names.
struct Compilation {
  std::vector<std::string> command;
  std::string
      identity;  ///< What the result depends on besides the source: version of the compiler, command, processor.
};
[[nodiscard]] Result<Compilation> c_compilation(const backend::ProgramImage& image);
/// The image's text with the kernel header before it.
[[nodiscard]] std::string c_source(const backend::ProgramImage& image);

}  // namespace pintle::cpu
