// Folding elements of several ranks into one, for every dtype and operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pintle/collective.h"
#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::collective {

/// `invalid_argument` with both names for a pair that has no meaning: bit operations of floating dtypes; min, max,
/// logical operations of complex64; mean of bool.
[[nodiscard]] Result<void> check_reduction(ReduceOp op, DType dtype);

/// Whether the result depends on the order or grouping in which elements are folded: sums, products and means of
/// floating dtypes, and whatever is rounded between folds.
[[nodiscard]] bool depends_on_order(ReduceOp op, DType dtype) noexcept;

/// Whether a partial result kept in the dtype loses what f32 would keep: f16, bf16 and f8 under sum, prod and mean.
[[nodiscard]] bool needs_accumulator(ReduceOp op, DType dtype) noexcept;

/// to[i] = sources[0][i] op sources[1][i] op ..., in this order from the left, for `count` elements. Narrow floating
/// dtypes are accumulated in f32 and rounded once, to nearest even. `mean` adds up, and divides by `divisor` at the end
/// where it is not 1 (a partial fold has divisor 1). One source with divisor 1 is a copy (bool and logical operators
/// make 0 or 1 of it). `to` may be exactly one of the sources; there is no other overlap. No alignment is needed.
/// check_reduction accepts the pair. Never fails.
void fold(ReduceOp op, DType dtype, std::byte* to, std::span<const std::byte* const> sources, std::size_t count,
          std::uint32_t divisor) noexcept;

}  // namespace pintle::collective
