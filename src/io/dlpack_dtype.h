// Element types in DLPack's codes.
#pragma once

#include "pintle/dtype.h"
#include "pintle/error.h"
#include "vendor/dlpack/dlpack.h"

namespace pintle::io {

/// `unsupported` names a type that Pintle does not have.
[[nodiscard]] Result<DType> dtype_of_dlpack(DLDataType type);
/// Every dtype has a code.
[[nodiscard]] Result<DLDataType> dlpack_type_of(DType dtype);

}  // namespace pintle::io
