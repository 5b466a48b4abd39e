// The functions of kernels.c as this binary has them.
#pragma once

#include <span>
#include <string_view>

#include "pintle/native/cpu_kernel.h"

namespace pintle::conformance {

struct NativeKernel {
  std::string_view symbol;
  pintle_cpu_kernel function = nullptr;
};

[[nodiscard]] std::span<const NativeKernel> native_kernels();

}  // namespace pintle::conformance
