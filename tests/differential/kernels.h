// Small integer kernels in every language that a device here takes.
#pragma once

#include "pintle/pintle.h"

namespace pintle::differential {

/// add_to, affine and gather.
Result<ProgramPack> kernels_pack();

}  // namespace pintle::differential
