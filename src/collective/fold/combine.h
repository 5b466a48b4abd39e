// What the inner loops of a fold are: runs of elements become one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pintle::collective {

struct Sources {
  const std::byte* const* first;
  std::size_t count;
};

/// to = source 0 op source 1 op ... from the left, for the bytes [begin, end) of each: whole elements. One source is
/// copied. `to` may be any of them, exactly. A NaN that is computed is the canonical one, whatever NaNs it comes from.
using Combine = void (*)(std::byte* to, Sources sources, std::size_t begin, std::size_t end) noexcept;

using CombineRow = std::array<Combine, 11>;       ///< By ReduceOp, from 1 on.
using CombineTable = std::array<CombineRow, 16>;  ///< By DType, from 1 on.

/// Divides each element by `divisor`, at least 1: integers toward zero, of complex64 both parts.
using Divide = void (*)(std::byte* elements, std::size_t bytes, std::uint32_t divisor) noexcept;

}  // namespace pintle::collective
