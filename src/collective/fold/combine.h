// The type of a fold's inner loops: several runs of elements become one run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pintle::collective {

struct Sources {
  const std::byte* const* first;
  std::size_t count;
};

/// to = source 0 op source 1 op ... from the left, for the bytes [begin, end) of each, which are whole elements. A
/// single source is copied. `to` may be exactly one of the sources. A NaN that is computed is the canonical one,
/// whatever NaNs it comes from.
using Combine = void (*)(std::byte* to, Sources sources, std::size_t begin, std::size_t end) noexcept;

using CombineRow = std::array<Combine, 11>;       ///< By ReduceOp, from 1 on.
using CombineTable = std::array<CombineRow, 16>;  ///< By DType, from 1 on.

/// Divides each element by `divisor`, which is at least 1. Integers round toward zero; complex64 has both parts
/// divided.
using Divide = void (*)(std::byte* elements, std::size_t bytes, std::uint32_t divisor) noexcept;

}  // namespace pintle::collective
