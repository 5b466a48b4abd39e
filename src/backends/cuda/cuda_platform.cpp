// CUDA: NVIDIA's driver and its run-time compiler, from CUDA C to PTX.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "backends/cuda/compile.h"
#include "backends/cuda/find_devices.h"
#include "base/opened_once.h"
#include "kit/capability_rows.h"
#include "vendor/cuda/nvrtc.h"

namespace pintle::cuda {
namespace {

using backend::ProgramImage;
using vendor::cuda::CompilerInput;
using vendor::cuda::DeviceAttribute;

constexpr std::array masks{"CUDA_VISIBLE_DEVICES"};
constexpr std::array<std::string_view, 3> code_formats{"ptx", "cubin", "fatbin"};
constexpr int oldest_driver = 12040;  // the first with cuFuncGetParamInfo
/// Since CUDA 12.1 a kernel of capability 7.0 takes 32,764 bytes of parameters, so 256 addresses and 4,096 bytes fit.
constexpr std::uint32_t scalar_bytes = 4096, old_scalar_bytes = 2048;
constexpr std::array capabilities{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

const Result<vendor::cuda::Driver>& driver() noexcept { return base::opened_once<vendor::cuda::Driver>(); }
const Result<vendor::cuda::Compiler>& compiler() noexcept { return base::opened_once<vendor::cuda::Compiler>(); }

/// "13.0" for 13000.
std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

/// The names behind ".entry". The driver tells what each takes.
std::vector<Code::Kernel> kernels_in(std::string_view ptx) {
  constexpr std::string_view mark = ".entry ";
  std::vector<Code::Kernel> kernels;
  for (auto at = ptx.find(mark); at != std::string_view::npos; at = ptx.find(mark, at)) {
    at += mark.size();
    kernels.push_back({std::string(ptx.substr(at, ptx.find_first_of("( \t\n", at) - at)), {}});
  }
  return kernels;
}

/// The best that the compiler makes code for and the device runs.
Result<int> architecture_for(const FoundDevice& found) {
  PINTLE_ASSIGN(known, compiler()->architectures());
  int best = 0;
  for (const int each : known) best = each <= found.capability ? std::max(best, each) : best;
  if (best != 0) return best;
  return Error(Errc::unsupported,
               fmt::format("CUDA's compiler ({}) makes code for none but ({}), and [{}] has ({}). Use an older one.",
                           compiler()->library.name(), fmt::join(known, ", "), found.info.id, found.capability));
}

class CudaPlatform final : public Platform {
 public:
  CudaPlatform() noexcept : Platform({"cuda", code_formats, "cuda_c", masks, true}) {}

  Result<const vendor::cuda::Driver*> loaded() const override {
    if (const auto& opened = driver(); !opened) return opened.error();  // a second look may answer otherwise
    return &*driver();
  }
  const std::string& library() const noexcept override { return driver()->library.name(); }
  vendor::cuda::StatusRow row_of(Status status) const noexcept override { return vendor::cuda::row_of(status); }

  std::string refusal_of(int version) const override {
    if (version >= oldest_driver) return {};
    return fmt::format("The driver is for CUDA ({}), and ({}) is needed.", version_text(version),
                       version_text(oldest_driver));
  }

  std::string next_step(std::optional<Status> status) const override {
    switch (status.value_or(Status::CUDA_SUCCESS)) {
      case Status::CUDA_ERROR_NO_DEVICE:
        return "Look for a GPU of NVIDIA's with nvidia-smi, and for rights on /dev/nvidia*.";
      case Status::CUDA_ERROR_STUB_LIBRARY: return "Take the toolkit's folder of stubs out of the loader's path.";
      case Status::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        return "Load the kernel module of the installed driver, or start the machine again.";
      default: return "Install NVIDIA's driver, 550 or later.";
    }
  }

  /// PTX for an older device is right for a newer one.
  void describe(FoundDevice& found, int version) const override {
    found.capability = static_cast<int>(10 * number(found, DeviceAttribute::compute_capability_major) +
                                        number(found, DeviceAttribute::compute_capability_minor));
    found.info.driver = fmt::format("NVIDIA driver for CUDA {}", version_text(version));
    found.info.limits.max_scalar_bytes = found.capability >= 70 ? scalar_bytes : old_scalar_bytes;
    found.info.capabilities.push_back(
        kit::row(Feature::subgroup_matrices, found.capability >= 70,
                 fmt::format("the compute capability is {:.1f}, and matrices come with 7.0", found.capability / 10.0),
                 "wmma and mma of CUDA C and PTX"));
    found.info.target = fmt::format("sm_{}", capabilities.front());
    for (const int each : capabilities | std::views::reverse) {
      if (each <= found.capability) found.info.better_targets.push_back(fmt::format("sm_{}", each));
    }
  }

  std::string compiler_absence() const override {
    return compiler() ? "" : "There is no libnvrtc.so to compile with: CUDA's toolkit has it.";
  }

  /// PTX. No two operations become one: a kernel computes what the same source does on the cpu. fmaf() is still one.
  Result<std::string> compile(const ProgramImage& image, const FoundDevice& found) const override {
    if (!compiler()) return Error(Errc::unsupported, std::string(compiler().error().message()));
    PINTLE_ASSIGN(architecture, architecture_for(found));
    PINTLE_ASSIGN(identity, compiler()->identity());
    int version = 0;
    if (driver()) static_cast<void>(api().cuDriverGetVersion(&version));  // tests compile without one
    identity += ", driver for CUDA " + version_text(version);
    const std::vector<std::string> options{fmt::format("--gpu-architecture=compute_{}", architecture), "--fmad=false"};
    return compile_once({image, found, identity, options, "--std=", "--include-path=", ".cu", ".ptx"},
                        [](const CompilerInput& input) { return compiler()->compile(input); });
  }

  Result<Code> read(std::string image, const FoundDevice&) const override {
    const bool is_text = image.contains(".version") && !image.contains('\0');
    auto kernels = is_text ? kernels_in(image) : std::vector<Code::Kernel>();
    return Code{std::move(image), std::move(kernels), is_text};
  }

  std::string_view meaning_of(Status status) const noexcept override {
    switch (status) {
      case Status::CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return "the PTX is of a version that the driver does not know";
      case Status::CUDA_ERROR_INVALID_PTX: return "the PTX is wrong, or for another architecture";
      case Status::CUDA_ERROR_NO_BINARY_FOR_GPU: return "the machine code is for another architecture";
      case Status::CUDA_ERROR_INVALID_IMAGE: return "the code is neither PTX nor machine code of CUDA's";
      default: return "the driver refuses the code";
    }
  }
};

}  // namespace

Platform& cuda_platform() {
  static auto& platform = *new CudaPlatform;
  return platform;
}

}  // namespace pintle::cuda
