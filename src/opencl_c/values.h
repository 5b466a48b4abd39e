// What a kernel of OpenCL C takes by value, out of clang's debug information.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opencl_c/llvm_text.h"
#include "pintle/entry.h"

namespace pintle::opencl_c {

/// The parameter of the type with this name in the metadata, "!23": a scalar, a vector, a struct with its members,
/// which are flat (`in.v[2]` is `in_v_2`), or bytes where no signature can say the members (unions, bit-fields, more
/// than 64 numbers). `alignment` is of bytes. Empty where the metadata does not say the type's size.
[[nodiscard]] std::optional<Parameter> value_of(const Metadata& metadata, std::string_view type,
                                                std::uint32_t alignment);

/// What of the members does not agree with those that are declared; empty where all do, or one of them is plain bytes.
/// Names may differ; a vector is as good as its numbers.
[[nodiscard]] std::optional<std::string> difference(const Parameter& declared, const Parameter& told);

}  // namespace pintle::opencl_c
