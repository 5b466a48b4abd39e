// The checks of texel buffers as arguments.
#pragma once

#include "pintle/backend/command.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/texel.h"

namespace pintle::core {

class ProgramState;

/// Binds a buffer's range as texels. `invalid_argument` where texel, size or offset do not suit the parameter or the
/// device's limits; `unsupported` for a texel that the device does not have. `buffer` names the buffer.
[[nodiscard]] Result<void> bind_texels(backend::Argument& bound, const Parameter& parameter,
                                       const backend::Range& range, Texel texel, const ProgramState& program,
                                       std::string_view buffer);

}  // namespace pintle::core
