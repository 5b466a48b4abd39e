// HIP: AMD's runtime and its run-time compiler, from HIP C to a code object.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "amdgcn/code_object.h"
#include "backends/cuda/compile.h"
#include "backends/cuda/platform.h"
#include "base/file.h"
#include "base/in_child.h"
#include "base/opened_once.h"
#include "kit/capability_rows.h"
#include "vendor/hip/architecture.h"
#include "vendor/hip/as_cuda.h"
#include "vendor/hip/hiprtc.h"
#include "vendor/hip/status.h"

namespace pintle::cuda {
namespace {

using vendor::cuda::CompilerInput;
using vendor::hip::runtime;

constexpr std::array masks{"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};
constexpr std::array<std::string_view, 1> code_formats{"amdgcn"};
constexpr std::array matrices{"gfx908", "gfx90a", "gfx94", "gfx95", "gfx11", "gfx12"};  // of MFMA, then of WMMA
constexpr std::uint32_t scalar_bytes = 2048;  // beside 256 addresses in the 4 KiB that arguments may take
constexpr std::string_view advice =
    "It may not know the architecture, or the source breaks it; a newer one may compile it.";

const Result<vendor::hip::Compiler>& compiler() noexcept { return base::opened_once<vendor::hip::Compiler>(); }

/// "5.2.21153" for 50221153.
std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000000, version / 100000 % 100, version % 100000);
}

/// Why the driver cannot launch a kernel; empty where it can. What it is given for a pointer to local memory it does
/// not read: it gives each such pointer four bytes, and the launch's memory lies behind all of them.
std::string kernel_refusal(const amdgcn::CodeKernel& kernel) {
  const auto locals = std::ranges::count_if(kernel.parameters, &amdgcn::CodeParameter::is_local);
  if (locals > 1) return fmt::format("takes ({}) pointers to local memory, and HIP's driver places only one", locals);
  const bool has_opaque = std::ranges::any_of(kernel.parameters, &amdgcn::CodeParameter::is_opaque);
  return has_opaque ? "takes an image or a sampler, which HIP's driver does not take as an argument" : "";
}

Result<std::string> build(const CompilerInput& input) {
  PINTLE_ASSIGN(code, compiler()->compile(input));
  return std::string(base::text_in(code));
}

class HipPlatform final : public Platform {
 public:
  HipPlatform() noexcept : Platform({"hip", code_formats, "hip_c", masks, false}) {}

  Result<const vendor::cuda::Driver*> loaded() const override {
    if (const auto& opened = runtime(); !opened) return opened.error();  // a second look may answer otherwise
    static const auto& table = *new vendor::cuda::Driver(vendor::hip::as_cuda(*runtime()));
    return &table;
  }
  const std::string& library() const noexcept override { return runtime()->library.name(); }
  vendor::cuda::StatusRow row_of(Status status) const noexcept override { return vendor::hip::row_of(status); }
  std::string_view name_of(std::string_view call) const noexcept override { return vendor::hip::own_name_of(call); }
  std::string refusal_of(int) const override { return {}; }  // an old one lacks functions

  std::string next_step(std::optional<Status> status) const override {
    const bool lacks_device = status == Status::CUDA_ERROR_NO_DEVICE || status == Status::CUDA_ERROR_INVALID_DEVICE;
    return lacks_device ? "Look for a GPU of AMD's with rocminfo, and for rights on /dev/kfd and /dev/dri/renderD*."
                        : "Install AMD's ROCm, or your system's libamdhip64.";
  }

  /// Code for the processor runs in each of its modes; code for one of its modes says so in its target.
  void describe(FoundDevice& found, int version) const override {
    found.architecture = vendor::hip::architecture_of(*runtime(), found.device);
    found.info.driver = fmt::format("AMD HIP {}", version_text(version));
    found.info.limits.max_scalar_bytes = scalar_bytes;
    found.info.target = found.architecture.substr(0, found.architecture.find(':'));
    const bool has = std::ranges::any_of(matrices, [&](auto name) { return found.architecture.starts_with(name); });
    found.info.capabilities.push_back(
        kit::row(Feature::subgroup_matrices, has, "the architecture has neither MFMA nor WMMA", "MFMA or WMMA"));
    if (found.info.target != found.architecture) found.info.better_targets = {found.architecture};
  }

  std::string compiler_absence() const override {
    return compiler() ? "" : "There is no libhiprtc.so to compile with: AMD's ROCm has it.";
  }

  /// A code object. No two operations become one, as for CUDA. A compiler of the time when it lay in the runtime ends
  /// the process for architectures that are newer than it: 5.2.3 for gfx1100 and gfx942. hiprtc tells one version for
  /// many; the runtime's tells them apart.
  Result<std::string> compile(const backend::ProgramImage& image, const FoundDevice& found) const override {
    if (!compiler()) return Error(Errc::unsupported, std::string(compiler().error().message()));
    if (found.architecture.empty())
      return Error(Errc::unsupported,
                   fmt::format("The driver does not say what architecture [{}] has, so nothing is compiled for it.",
                               found.info.id));
    PINTLE_ASSIGN(identity, compiler()->identity());
    identity += ", " + found.info.driver;
    const std::vector<std::string> options{fmt::format("--offload-arch={}", found.architecture), "-ffp-contract=off"};
    const std::string& library = compiler()->library.name();
    return compile_once({image, found, identity, options, "-std=", "-I", ".hip", ".hsaco"},
                        [&](const CompilerInput& input) -> Result<std::string> {
                          if (!library.contains("libamdhip64")) return build(input);
                          return base::in_child(library, advice, [&] { return build(input); });
                        });
  }

  /// The part of the code that is for the device, and what its kernels take.
  Result<Code> read(std::string image, const FoundDevice& found) const override {
    PINTLE_ASSIGN(part, amdgcn::code_for(base::bytes_in(image), found.architecture));
    PINTLE_ASSIGN(object, amdgcn::read_code_object(part));
    Code code{std::string(base::text_in(part)), {}};
    for (const amdgcn::CodeKernel& kernel : object.kernels) {
      Code::Kernel& made = code.kernels.emplace_back(Code::Kernel{kernel.name, {}, kernel_refusal(kernel)});
      for (const amdgcn::CodeParameter& parameter : kernel.parameters) made.sizes.push_back(parameter.size);
    }
    return code;
  }

  std::string_view meaning_of(Status status) const noexcept override {
    switch (status) {
      case Status::CUDA_ERROR_NO_BINARY_FOR_GPU: return "the code object is for another architecture";
      case Status::CUDA_ERROR_INVALID_IMAGE: return "the code is no code object of AMD's";
      default: return "the driver refuses the code";
    }
  }
};

}  // namespace

Platform& hip_platform() {
  static auto& platform = *new HipPlatform;
  return platform;
}

}  // namespace pintle::cuda
