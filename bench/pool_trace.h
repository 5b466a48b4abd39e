// Allocations and frees of a generated program, made by a seed: the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pintle::bench {

/// Frees what is in the place, if anything is, and allocates `bytes` for it; 0: nothing new.
struct TraceStep {
  std::uint32_t place = 0;
  std::uint64_t bytes = 0;
};

/// What one worker of an inference engine does with its activations: requests of 16 to 512 tokens one after another,
/// each through 12 layers whose values live for a few steps. `places` are used at most.
struct PoolTrace {
  std::vector<TraceStep> steps;
  std::size_t places = 0;
};
[[nodiscard]] PoolTrace activations(std::uint64_t seed, std::size_t requests);

}  // namespace pintle::bench
