// Launches whose grid is read back from device memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// Three counts, laid out as in device memory.
using GridCounts = std::array<std::uint32_t, 3>;

/// The launch that runs: counts beyond the command's grid are clamped to it. Empty where a count is zero: nothing runs.
[[nodiscard]] inline std::optional<backend::Exec> launch_of(const backend::ExecIndirect& indirect,
                                                            const GridCounts& counts) noexcept {
  backend::Exec exec = indirect.exec;
  exec.grid = {std::min(counts[0], exec.grid.x), std::min(counts[1], exec.grid.y), std::min(counts[2], exec.grid.z)};
  if (exec.grid.x == 0 || exec.grid.y == 0 || exec.grid.z == 0) return std::nullopt;
  return exec;
}

}  // namespace pintle::kit
