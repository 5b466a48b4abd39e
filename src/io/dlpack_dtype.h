// Element types as DLPack codes them.
#pragma once

#include "pintle/dtype.h"
#include "pintle/error.h"
#include "vendor/dlpack/dlpack.h"

namespace pintle::io {

/// `unsupported` names the type that Pintle has not.
[[nodiscard]] Result<DType> dtype_of_dlpack(DLDataType type);
/// Every dtype has one.
[[nodiscard]] Result<DLDataType> dlpack_type_of(DType dtype);

}  // namespace pintle::io
