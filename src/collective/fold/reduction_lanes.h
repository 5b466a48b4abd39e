// Finds the inner loop of a fold for an operator and a dtype, in the vectors of this processor.
#pragma once

#include "collective/fold/combine.h"
#include "pintle/collective.h"
#include "pintle/dtype.h"

namespace pintle::collective {

/// Null where check_reduction refuses the pair, and where the pair needs an accumulator: its elements are combined as
/// f32. `mean` has the loop of `sum`.
[[nodiscard]] Combine combine_of(ReduceOp op, DType dtype) noexcept;

/// Null for dtypes without a mean, and for dtypes whose mean needs an accumulator.
[[nodiscard]] Divide divide_of(DType dtype) noexcept;

}  // namespace pintle::collective
