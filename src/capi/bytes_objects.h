// Bytes behind handles.
#pragma once

#include <string>

#include "capi/objects.h"
#include "pintle/c/bytes.h"

namespace pintle::capi {

PINTLE_C_KIND(pintle_bytes, std::string, 21, "block of bytes");

}  // namespace pintle::capi
