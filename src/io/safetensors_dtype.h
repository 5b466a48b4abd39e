// The names of element types in safetensors files.
#pragma once

#include <string_view>

#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle::io {

/// `unsupported` for a type that only the format has; `invalid_argument` for a name that the format does not have.
[[nodiscard]] Result<DType> parse_safetensors_dtype(std::string_view name);
/// The bits of an element of a type that only the format has; 0 for any other name.
[[nodiscard]] unsigned foreign_bits(std::string_view name) noexcept;
/// Every dtype has a name.
[[nodiscard]] std::string_view safetensors_name(DType dtype) noexcept;
/// The place of tensors of this dtype in a file, from 0. Those with the largest elements come first, and every writer
/// keeps this order.
[[nodiscard]] std::size_t safetensors_rank(DType dtype) noexcept;

}  // namespace pintle::io
