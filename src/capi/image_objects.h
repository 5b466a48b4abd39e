// Images behind handles.
#pragma once

#include "capi/objects.h"
#include "pintle/c/texel.h"

namespace pintle::capi {

PINTLE_C_KIND(pintle_image, Image, 20, "image");

}  // namespace pintle::capi
