// Problems for the planner, made by a seed: the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pintle/planner.h"

namespace pintle::bench {

/// A rectangle of 1,000 steps by 1,000,000 bytes, cut at random until there are `pieces` of it, in random order. The
/// rectangle is the least total.
inline constexpr std::uint64_t packing_steps = 1000;
inline constexpr std::uint64_t packing_bytes = 1'000'000;
[[nodiscard]] PlanProblem tight_packing(std::uint64_t seed, std::size_t pieces);
/// Pieces of the packing of this number, from 50 to 500.
[[nodiscard]] std::size_t pieces_of(std::uint64_t seed);

/// Layers of attention and a feed-forward network until there are `count` values: persistent weights and caches, a
/// residual stream, and activations that live for a few steps.
[[nodiscard]] PlanProblem transformer(std::size_t count);

/// First fit by size, written once more and plainly: what the planner is measured against.
[[nodiscard]] std::uint64_t first_fit_by_size(const PlanProblem& problem);

}  // namespace pintle::bench
