// The arguments of kernels in code for GPUs, as far as the code tells them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/opencl_arguments.h"

namespace pintle::cli {

/// The arguments of an entry of PTX: sizes, floats apart from integers, and the memory of pointers where the text has
/// it. Empty where the entry is not there.
[[nodiscard]] std::optional<std::vector<base::OpenClArgument>> arguments_in_ptx(std::string_view text,
                                                                                std::string_view entry);

/// The arguments of a kernel of an AMD GPU's code object, out of its metadata: kinds and sizes, and types where the
/// compiler was asked for them. Empty where the metadata does not describe the kernel.
[[nodiscard]] std::optional<std::vector<base::OpenClArgument>> arguments_in_amdgcn(std::span<const std::byte> code,
                                                                                   std::string_view kernel);

}  // namespace pintle::cli
