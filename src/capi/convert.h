// Conversions as values of the library.
#pragma once

#include "pintle/c/convert.h"
#include "pintle/convert.h"

namespace pintle::capi {

[[nodiscard]] Result<Convert> conversion_of(const pintle_conversion* how);

}  // namespace pintle::capi
