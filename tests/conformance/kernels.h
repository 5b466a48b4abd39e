// The suite's program: kernels/kernels.c, compiled by the device at load, or built in where there is no C compiler.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/device.h"
#include "pintle/program.h"

namespace pintle::conformance {

/// Every dtype, for cases that go through them all.
[[nodiscard]] const std::vector<DType>& all_dtypes();

/// The signatures of every entry of kernels.c.
[[nodiscard]] const std::vector<std::string>& kernel_signatures();
/// kernels.c as a pack of the format `c`.
[[nodiscard]] Result<ProgramPack> source_pack();
/// The same functions, registered in this process, as a pack of the format `native`.
[[nodiscard]] Result<ProgramPack> native_pack();

/// The suite's program on one device, loaded at first use and again after a recovery.
class LoadedKernels {
 public:
  [[nodiscard]] Result<Kernel> kernel(const Device& device, std::string_view entry);

 private:
  std::mutex mutex_;
  std::optional<Program> program_;
  std::uint64_t generation_ = 0;
};

}  // namespace pintle::conformance
