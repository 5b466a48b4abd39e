// The inner loops of a fold: runs of elements become one, in the vectors of this processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pintle/collective.h"
#include "pintle/dtype.h"

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

/// Null where check_reduction refuses the pair, and for those that need an accumulator: they are combined as f32.
/// `mean` has that of `sum`.
[[nodiscard]] Combine combine_of(ReduceOp op, DType dtype) noexcept;

/// Null for dtypes without a mean, and those whose mean needs an accumulator.
[[nodiscard]] Divide divide_of(DType dtype) noexcept;

}  // namespace pintle::collective
