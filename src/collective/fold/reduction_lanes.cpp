#include "collective/fold/reduction_lanes.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// Each instruction set adds code of its own, and these sets gain little over their neighbours.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#define HWY_TARGET_INCLUDE "collective/fold/reduction_vectors.h"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// Included once more, for the processor that all other code is compiled for.
#include "collective/fold/reduction_vectors.h"

namespace pintle::collective {
namespace {

HWY_EXPORT(combines);

template <class T>
T divided(T element, std::uint32_t divisor) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    const T quotient = element / static_cast<T>(divisor);
    return std::isnan(quotient) ? std::numeric_limits<T>::quiet_NaN() : quotient;
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(element) / static_cast<Wide>(divisor));
  }
}

template <class T>
void divide(std::byte* elements, std::size_t bytes, std::uint32_t divisor) noexcept {
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T element;
    std::memcpy(&element, elements + at, sizeof element);
    element = divided(element, divisor);
    std::memcpy(elements + at, &element, sizeof element);
  }
}

/// By DType, from 1 on.
constexpr std::array<Divide, 16> divides{
    nullptr,
    divide<std::int8_t>,
    divide<std::int16_t>,
    divide<std::int32_t>,
    divide<std::int64_t>,
    divide<std::uint8_t>,
    divide<std::uint16_t>,
    divide<std::uint32_t>,
    divide<std::uint64_t>,
    nullptr,
    nullptr,
    divide<float>,
    divide<double>,
    nullptr,
    nullptr,
    divide<float>,
};

}  // namespace

Combine combine_of(ReduceOp op, DType dtype) noexcept {
  const CombineTable& table = *HWY_DYNAMIC_DISPATCH(combines)();
  return table[static_cast<std::size_t>(dtype) - 1][static_cast<std::size_t>(op) - 1];
}

Divide divide_of(DType dtype) noexcept { return divides[static_cast<std::size_t>(dtype) - 1]; }

}  // namespace pintle::collective
