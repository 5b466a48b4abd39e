// The suite's OpenCL kernels as SPIR-V.
#pragma once

#include <string_view>

namespace pintle::conformance {

/// The module; empty where the build found no compiler for it.
[[nodiscard]] std::string_view opencl_spirv() noexcept;

}  // namespace pintle::conformance
