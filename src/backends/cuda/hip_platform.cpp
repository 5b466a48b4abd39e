#include "backends/cuda/hip_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "amdgcn/code_object.h"
#include "base/file.h"
#include "kit/capability_rows.h"
#include "vendor/hip/architecture.h"
#include "vendor/hip/as_cuda.h"
#include "vendor/hip/status.h"

namespace pintle::hip {
namespace {

using vendor::hip::runtime;

constexpr std::array masks{"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};
constexpr std::array<std::string_view, 1> code_formats{"amdgcn"};
constexpr std::array matrices{"gfx908", "gfx90a", "gfx94", "gfx95", "gfx11", "gfx12"};  // of MFMA, then of WMMA
constexpr std::uint32_t scalar_bytes = 2048;  // beside 256 addresses in the 4 KiB that arguments may take

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

}  // namespace

HipPlatform::HipPlatform() noexcept : Platform({"hip", code_formats, "hip_c", masks, false}) {}

Result<const vendor::cuda::Driver*> HipPlatform::loaded() const {
  if (!runtime()) return runtime().error();
  static const auto& table = *new vendor::cuda::Driver(vendor::hip::as_cuda(*runtime()));
  return &table;
}

const std::string& HipPlatform::library() const noexcept { return runtime()->library.name(); }

vendor::cuda::StatusRow HipPlatform::row_of(Status status) const noexcept { return vendor::hip::row_of(status); }

std::string_view HipPlatform::name_of(std::string_view call) const noexcept { return vendor::hip::own_name_of(call); }

std::string HipPlatform::next_step(std::optional<Status> status) const {
  const bool lacks_device = status == Status::CUDA_ERROR_NO_DEVICE || status == Status::CUDA_ERROR_INVALID_DEVICE;
  return lacks_device ? "Look for a GPU of AMD's with rocminfo, and for rights on /dev/kfd and /dev/dri/renderD*."
                      : "Install AMD's ROCm, or your system's libamdhip64.";
}

/// Code for the processor runs in each of its modes; code for one of its modes says so in its target.
void HipPlatform::describe(FoundDevice& found, int version) const {
  found.architecture = vendor::hip::architecture_of(*runtime(), found.device);
  found.info.driver = fmt::format("AMD HIP {}", version_text(version));
  found.info.limits.max_scalar_bytes = scalar_bytes;
  found.info.target = found.architecture.substr(0, found.architecture.find(':'));
  const bool has = std::ranges::any_of(matrices, [&](auto name) { return found.architecture.starts_with(name); });
  found.info.capabilities.push_back(
      kit::row(Feature::subgroup_matrices, has, "the architecture has neither MFMA nor WMMA", "MFMA or WMMA"));
  if (found.info.target != found.architecture) found.info.better_targets = {found.architecture};
}

Result<Code> HipPlatform::read(std::string image, const FoundDevice& found) const {
  PINTLE_ASSIGN(part, amdgcn::code_for(base::bytes_in(image), found.architecture));
  PINTLE_ASSIGN(object, amdgcn::read_code_object(part));
  Code code{std::string(base::text_in(part)), {}};
  for (const amdgcn::CodeKernel& kernel : object.kernels) {
    Code::Kernel& made = code.kernels.emplace_back(Code::Kernel{kernel.name, {}, kernel_refusal(kernel)});
    for (const amdgcn::CodeParameter& parameter : kernel.parameters) made.sizes.push_back(parameter.size);
  }
  return code;
}

std::string_view HipPlatform::meaning_of(Status status) const noexcept {
  switch (status) {
    case Status::CUDA_ERROR_NO_BINARY_FOR_GPU: return "the code object is for another architecture";
    case Status::CUDA_ERROR_INVALID_IMAGE: return "the code is no code object of AMD's";
    default: return "the driver refuses the code";
  }
}

}  // namespace pintle::hip

namespace pintle::cuda {

Platform& hip_platform() {
  static auto& platform = *new hip::HipPlatform;
  return platform;
}

}  // namespace pintle::cuda
