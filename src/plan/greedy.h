// Quick plans: blocks are placed one by one in some order, each at the lowest or the tightest free place.
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

/// Places the blocks that live throughout on the ground. Returns where the others begin. No solution gets worse by
/// that.
[[nodiscard]] std::uint64_t place_throughout(const Model& model, std::vector<std::uint64_t>& addresses);
[[nodiscard]] bool lies_throughout(const Model& model, const Block& block) noexcept;

/// First fit by size and nothing else: the plan that others are compared with. The error names fixed blocks that
/// overlap.
[[nodiscard]] Layout first_fit_by_size(const Model& model);

/// The best of several orders, first fit by size among them. It tries as many as a fixed amount of work allows, and
/// stops once `enough` is reached.
[[nodiscard]] Layout greedy(const Model& model, std::uint64_t enough);

}  // namespace pintle::plan
