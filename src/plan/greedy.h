// Plans at once: blocks one by one in some order, each at the lowest or the tightest place that is free.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace pintle::plan {

/// Addresses of the blocks of a model.
struct Layout {
  std::vector<std::uint64_t> addresses{};
  std::uint64_t total = 0;  ///< The bytes of all chunks.
};

/// Bytes of each chunk under these addresses.
[[nodiscard]] std::vector<std::uint64_t> chunk_bytes(const Model& model, const std::vector<std::uint64_t>& addresses);

/// Where blocks that live throughout lie on the ground: where the others begin. Nothing is lost by that.
[[nodiscard]] std::uint64_t place_throughout(const Model& model, std::vector<std::uint64_t>& addresses);
[[nodiscard]] bool lies_throughout(const Model& model, const Block& block) noexcept;

/// First fit by size and nothing else: what others are measured against. The error names blocks that are fixed over
/// each other.
[[nodiscard]] Layout first_fit_by_size(const Model& model);

/// The best of several orders, first fit by size among them. As many as a fixed amount of work allows, and no more
/// than it takes to reach `enough`.
[[nodiscard]] Layout greedy(const Model& model, std::uint64_t enough);

}  // namespace pintle::plan
