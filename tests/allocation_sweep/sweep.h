// The sweep of one device.
#pragma once

#include <cstdint>
#include <string>

#include "allocation_sweep/allocations.h"

namespace pintle::allocation_sweep {

struct Options {
  std::string device;
  std::uint64_t every = 1;  ///< The step from one allocation that fails to the next.
  std::uint64_t first = 1;
  Mode mode = Mode::once;
  std::string only{};       ///< The one scenario or operation; empty: all.
  std::string of{};         ///< "scenarios", "operations" or "first_use"; empty: all.
  bool keeps_open = false;  ///< The device, from one run to the next; what is made at first use is then there already.
};

/// Runs it in a child process, and goes on behind whatever ends that. The exit code of the program.
[[nodiscard]] int sweep(const Options& options);

}  // namespace pintle::allocation_sweep
