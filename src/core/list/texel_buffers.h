// The checks of texel buffers as arguments.
#pragma once

#include <cstdint>

#include "pintle/backend/command.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/texel.h"

namespace pintle::core {

class ProgramState;

/// Binds a buffer's range as texels. `invalid_argument` where texel, size or offset do not suit the parameter or the
/// device's limits; `unsupported` for a texel that the device does not have.
[[nodiscard]] Result<void> bind_texels(backend::Argument& bound, const Parameter& parameter, std::uint64_t incarnation,
                                       const backend::Range& range, Texel texel, const ProgramState& program);

}  // namespace pintle::core
