// Kernels with texel buffers, in the languages that a device compiles.
#pragma once

#include <span>
#include <string_view>

#include "conformance/ways.h"

namespace pintle::conformance {

[[nodiscard]] bool takes(const Context& test, std::string_view format);
/// Skips the case where the device compiles none of the sources.
[[nodiscard]] Result<Program> load(const Context& test, std::span<const Source> sources,
                                   std::span<const std::string_view> signatures);
/// The kernel of the signature. Skips the case where the device runs none.
[[nodiscard]] Kernel kernel_of(const Context& test, std::span<const Source> sources, std::string_view signature);

}  // namespace pintle::conformance
