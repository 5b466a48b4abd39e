// Tensors of more dimensions than a shape has.
#pragma once

#include <array>
#include <cstdint>

#include "pintle/error.h"
#include "vendor/dlpack/dlpack.h"

namespace pintle::io {

inline constexpr std::int32_t most_dlpack_axes = 16;

/// Dimensions and strides in elements, which a tensor points to.
struct DlpackAxes {
  std::array<std::int64_t, most_dlpack_axes> shape{}, strides{};
};

/// The tensor, of at most `most_dlpack_axes` dimensions, as one of at most `Shape::max_rank` with the same elements in
/// the same order: from the outermost on, dimensions of one element go, then neighbours without a gap become one.
/// `unsupported` where that leaves more, `invalid_argument` for a negative dimension and for no shape. It points into
/// `axes`.
[[nodiscard]] Result<DLTensor> with_fewer_axes(DLTensor tensor, DlpackAxes& axes);

}  // namespace pintle::io
