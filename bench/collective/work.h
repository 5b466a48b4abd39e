// What both sides of a figure do: an operation on memory that each rank has for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::bench {

enum class CollectiveOperation : unsigned char { all_reduce, reduce_scatter, all_gather, broadcast, all_to_all };

/// Sums are of f32.
struct CollectiveWork {
  CollectiveOperation operation = CollectiveOperation::all_reduce;
  std::uint64_t bytes = 0;  ///< The size of the larger buffer.
  std::uint32_t ranks = 1;

  [[nodiscard]] std::uint64_t part() const noexcept { return bytes / ranks; }
  [[nodiscard]] std::size_t count() const noexcept { return bytes / sizeof(float); }
  [[nodiscard]] std::size_t part_count() const noexcept { return part() / sizeof(float); }
};

/// One rank's private memory. Values are small whole numbers, so that sums are exact in any order.
struct CollectiveMemory {
  std::vector<float> from;
  std::vector<float> to;

  CollectiveMemory(const CollectiveWork& work, std::uint32_t rank);
  /// Puts back what an operation has overwritten: broadcast has one buffer.
  void restore(const CollectiveWork& work, std::uint32_t rank);
};

}  // namespace pintle::bench
