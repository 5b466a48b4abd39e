// A kernel in C, and one launch of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "host/team.h"
#include "pintle/grid.h"
#include "pintle/native/cpu_kernel.h"

namespace pintle::host {

inline constexpr std::uint32_t max_local_bytes = 64 << 10;

struct Kernel {
  pintle_kernel code = nullptr;
  Grid size;
  std::uint32_t local_bytes = 0;
  mutable LoopCost cost{};  ///< The cost of one group.

  /// The bytes of a thread's stack that scratch memory needs.
  [[nodiscard]] std::uint32_t stack() const noexcept { return local_bytes == 0 ? 0 : max_local_bytes; }
};

/// A launch that is ready to be called group by group.
struct Launch {
  const Kernel* kernel;
  Grid grid;
  void* const* arguments;

  [[nodiscard]] std::uint64_t groups() const noexcept { return std::uint64_t{grid.x} * grid.y * grid.z; }
  /// The loop over all groups, without a body.
  [[nodiscard]] Loop loop() const noexcept {
    return {.last = groups(), .cost = &kernel->cost, .stack = kernel->stack()};
  }
  [[nodiscard]] float expected() const noexcept { return kernel->cost.of(groups()); }

  void operator()(std::uint64_t first, std::uint64_t last) const {
    kernel->local_bytes == 0 ? run(first, last, nullptr) : run_with_local(first, last);
  }

 private:
  void run(std::uint64_t first, std::uint64_t last, void* local) const {
    pintle_group group{};
    if (first != 0) {  // divisions take longer than a small group
      const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
      group.id[0] = static_cast<std::uint32_t>(first % grid.x);
      group.id[1] = static_cast<std::uint32_t>(first / grid.x % grid.y);
      group.id[2] = static_cast<std::uint32_t>(first / plane);
    }
    std::ranges::copy(std::array{grid.x, grid.y, grid.z}, group.count);
    std::ranges::copy(std::array{kernel->size.x, kernel->size.y, kernel->size.z}, group.size);
    group.local_bytes = kernel->local_bytes;
    group.local = local;
    for (std::uint64_t index = first; index < last; ++index) {
      kernel->code(&group, arguments);
      if (++group.id[0] < grid.x) continue;
      group.id[0] = 0;
      if (++group.id[1] < grid.y) continue;
      group.id[1] = 0;
      ++group.id[2];
    }
  }

  /// Scratch memory is on the stack of the thread that runs the groups: a worker, or a thread that waits.
  [[gnu::noinline]] void run_with_local(std::uint64_t first, std::uint64_t last) const {
    alignas(64) std::array<std::byte, max_local_bytes> local;
    run(first, last, local.data());
  }
};

}  // namespace pintle::host
