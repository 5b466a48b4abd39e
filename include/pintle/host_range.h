// Elements on the host that a call may read or write in place.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "pintle/dtype.h"

namespace pintle {

/// The element type of a contiguous range, const where the elements may only be read. `std::span` knows such a range,
/// and costs a translation unit a tenth of what `<ranges>` costs it.
template <class R>
using HostElement = typename decltype(std::span(std::declval<R&>()))::element_type;
/// The element type without const.
template <class R>
using HostValue = std::remove_cv_t<HostElement<R>>;

/// A contiguous range of elements with a DType.
template <class R>
concept ElementRange = Element<HostValue<R>>;

/// A contiguous range of elements on the host; std::byte stands for bytes of any DType.
template <class R>
concept HostRange = ElementRange<R> || std::is_same_v<HostValue<R>, std::byte>;

}  // namespace pintle
