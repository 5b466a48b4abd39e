// A kernel in C, and one launch of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/team.h"
#include "pintle/entry.h"
#include "pintle/native/cpu_kernel.h"

namespace pintle::host {

inline constexpr std::uint32_t max_local_bytes = 64 << 10;

struct Kernel {
  pintle_cpu_kernel code = nullptr;
  Grid size;
  std::uint32_t local_bytes = 0;
  std::uint32_t stack = 0;  ///< The bytes of a thread's stack that scratch memory needs.
  std::uint32_t parameters = 0;
  bool has_rows = false;  ///< One call may run several groups that are neighbours in x, as one with more items.
  std::vector<std::uint32_t> locals{};  ///< The parameters that are scratch memory.
  mutable LoopCost cost{};              ///< The cost of one group.

  [[nodiscard]] static Kernel of(const Entry& entry, pintle_cpu_kernel code);
};

/// A launch that is ready to be called group by group.
struct Launch {
  const Kernel* kernel;
  Grid grid;
  void* const* arguments;  ///< A local one is its number of bytes, until a thread has memory for it.

  [[nodiscard]] std::uint64_t groups() const noexcept { return std::uint64_t{grid.x} * grid.y * grid.z; }
  /// The loop over all groups, without a body.
  [[nodiscard]] Loop loop() const noexcept { return {.last = groups(), .cost = &kernel->cost, .stack = kernel->stack}; }
  [[nodiscard]] float expected() const noexcept { return kernel->cost.of(groups()); }

  void operator()(std::uint64_t first, std::uint64_t last) const {
    kernel->stack == 0 ? run(first, last, arguments, nullptr) : run_with_local(first, last);
  }

 private:
  using Scratch = std::array<std::byte, 64>;
  static constexpr std::size_t fixed = max_local_bytes / sizeof(Scratch);
  /// Each local argument begins a piece, so that the sum of all may be one larger for each.
  static constexpr std::size_t most = fixed + Entry::max_parameters;

  void run(std::uint64_t first, std::uint64_t last, void* const* addresses, void* local) const {
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
    for (std::uint64_t index = first; index < last;) {
      const std::uint32_t count = kernel->has_rows ? row(last - index, grid.x - group.id[0]) : 1;
      group.size[0] = kernel->size.x * count;
      kernel->code(&group, addresses);
      index += count;
      group.id[0] += count;
      if (group.id[0] < grid.x) continue;
      group.id[0] = 0;
      if (++group.id[1] < grid.y) continue;
      group.id[1] = 0;
      ++group.id[2];
    }
  }

  /// How many groups one call runs, so that their items can be counted.
  [[nodiscard]] std::uint32_t row(std::uint64_t left, std::uint32_t to_the_end) const noexcept {
    constexpr std::uint32_t most_items = 1 << 30;
    const std::uint64_t most = std::max(most_items / kernel->size.x, 1U);
    return static_cast<std::uint32_t>(std::min({left, std::uint64_t{to_the_end}, most}));
  }

  /// Scratch memory is on the stack of the thread that runs the groups: a worker, or a thread that waits.
  [[gnu::noinline]] void run_with_local(std::uint64_t first, std::uint64_t last) const {
    if (!kernel->locals.empty()) return run_with_arguments(first, last);
    alignas(64) std::array<Scratch, fixed> local;
    run(first, last, arguments, local.data());
  }

  [[gnu::noinline]] void run_with_arguments(std::uint64_t first, std::uint64_t last) const {
    alignas(64) std::array<Scratch, most> local;
    std::array<void*, Entry::max_parameters> addresses;
    std::copy_n(arguments, kernel->parameters, addresses.begin());
    Scratch* free = local.data() + pieces(kernel->local_bytes);
    for (const std::uint32_t parameter : kernel->locals) {
      addresses[parameter] = free;
      free += pieces(reinterpret_cast<std::uintptr_t>(arguments[parameter]));
    }
    run(first, last, addresses.data(), local.data());
  }

  [[nodiscard]] static std::size_t pieces(std::size_t bytes) noexcept {
    return (bytes + sizeof(Scratch) - 1) / sizeof(Scratch);
  }

  friend struct Kernel;
};

inline Kernel Kernel::of(const Entry& entry, pintle_cpu_kernel code) {
  Kernel kernel{.code = code, .size = entry.group_size, .local_bytes = entry.local_bytes};
  kernel.parameters = static_cast<std::uint32_t>(entry.parameters.size());
  for (std::uint32_t index = 0; index < kernel.parameters; ++index) {
    if (entry.parameters[index].kind == Parameter::Kind::local) kernel.locals.push_back(index);
  }
  if (!kernel.locals.empty()) kernel.stack = Launch::most * sizeof(Launch::Scratch);
  else if (entry.local_bytes != 0) kernel.stack = max_local_bytes;
  return kernel;
}

}  // namespace pintle::host
