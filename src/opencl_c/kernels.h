// The kernels of OpenCL C with their arguments, out of what clang makes of a source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/opencl_arguments.h"
#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::opencl_c {

struct OpenClKernel {
  std::string name;
  std::vector<base::OpenClArgument> arguments;
  std::optional<Grid> group;   ///< reqd_work_group_size.
  std::uint32_t subgroup = 0;  ///< intel_reqd_sub_group_size; 0: any.
  std::vector<std::optional<Parameter>>
      values{};  ///< By argument: what comes by value, where debug information says it.
};

/// The kernels in LLVM's text (`-emit-llvm -S -O1 -g -cl-kernel-arg-info`). Each argument has the stores and loads that
/// certainly go through it. `invalid_argument` for a kernel whose arguments the text does not describe.
[[nodiscard]] Result<std::vector<OpenClKernel>> kernels_in_llvm(std::string_view text);

/// The kernels of a source, by the newest clang from version 15 on; what it says names the source as in `file`. A name
/// in capitals that nothing declares counts as a constant that is given at load. `language` is "CL2.0", or empty for
/// that. `unavailable` where no such clang is here, `build_failed` where the source does not compile.
[[nodiscard]] Result<std::vector<OpenClKernel>> kernels_of(const std::string& file, const std::string& text,
                                                           std::string_view language);

/// The entry that the kernel's arguments say; a buffer that may be read and written is read_write, and a kernel that
/// takes groups of any size has groups of 64 items. `unsupported` names the argument that no signature can have.
[[nodiscard]] Result<Entry> infer(const OpenClKernel& kernel);

/// What of the kernel does not agree with the entry; empty where all agrees. The text follows the entry's name.
[[nodiscard]] std::optional<std::string> difference(const Entry& entry, const OpenClKernel& kernel);

}  // namespace pintle::opencl_c
