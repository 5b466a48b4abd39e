// Host memory that a driver does not use in place.
#pragma once

#include "core/device/incarnation.h"

namespace pintle::core {

/// A buffer over the bytes. Where the driver of a device that imports host memory refuses these pages, a buffer that
/// nobody may write is a sealed copy of them, and the call waits for the copy; any other is `unsupported`.
[[nodiscard]] Result<Buffer> import_or_copy(Incarnation& incarnation, const HostImport& import);

}  // namespace pintle::core
