// The suite's program: kernels/kernels.*, compiled by the device at load, or built in where there is no C compiler.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/device.h"
#include "pintle/program.h"

namespace pintle::conformance {

/// Every dtype, for cases that go through them all.
[[nodiscard]] const std::vector<DType>& all_dtypes();

/// Whether the entry shows what groups are: a language without groups does not have it. Without "conform_".
[[nodiscard]] bool is_about_groups(std::string_view entry) noexcept;
/// The signatures of every entry.
[[nodiscard]] const std::vector<std::string>& kernel_signatures();
/// The suite's program as source, in every language that a device may compile.
[[nodiscard]] Result<ProgramPack> source_pack();
/// The same, but for the cpu as functions registered in this process: what each device loads in the least time.
[[nodiscard]] Result<ProgramPack> suite_pack();
/// The one variant of it that the device would load: where loading fails there is no other.
[[nodiscard]] Result<ProgramPack> suite_pack_for(const Device& device);

/// A program in one language.
struct Source {
  std::string_view format;
  std::string_view code;
};
/// A program in one language, with its own text.
struct SourceText {
  std::string format;
  std::string code;
};
/// The sources; where one is OpenCL C and none is CUDA C, also that one as CUDA C. HIP C is CUDA C.
[[nodiscard]] std::vector<SourceText> with_cuda_c(std::span<const Source> sources);
/// The first of `with_cuda_c(sources)` that the device compiles.
[[nodiscard]] std::optional<SourceText> find_source(const DeviceInfo& info, std::span<const Source> sources);
/// Whether the device compiles one of `with_cuda_c(sources)`.
[[nodiscard]] bool compiles(const DeviceInfo& info, std::span<const Source> sources);
/// One pack of the same program in several languages, CUDA C among them.
[[nodiscard]] Result<ProgramPack> pack_of(std::span<const Source> sources, std::span<const std::string_view> signatures,
                                          std::string name);

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
