// The inner loops of a fold: which one is for what, in the vectors of this processor.
#pragma once

#include "collective/fold/combine.h"
#include "pintle/collective.h"
#include "pintle/dtype.h"

namespace pintle::collective {

/// Null where check_reduction refuses the pair, and for those that need an accumulator: they are combined as f32.
/// `mean` has that of `sum`.
[[nodiscard]] Combine combine_of(ReduceOp op, DType dtype) noexcept;

/// Null for dtypes without a mean, and those whose mean needs an accumulator.
[[nodiscard]] Divide divide_of(DType dtype) noexcept;

}  // namespace pintle::collective
