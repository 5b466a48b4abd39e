#include "bench/direct/cuda_api.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/opened_once.h"
#include "bench/kernels/kernel_text.h"
#include "vendor/cuda/nvrtc.h"
#include "vendor/hip/architecture.h"
#include "vendor/hip/as_cuda.h"
#include "vendor/hip/hiprtc.h"

namespace pintle::bench {
namespace {

namespace cu = vendor::cuda;
namespace hip = vendor::hip;
using cu::DeviceAttribute;

const Result<cu::Driver>& cuda_driver() { return base::opened_once<cu::Driver>(); }

/// 90 for 9.0.
int capability_of(cu::Device device) {
  int major = 0, minor = 0;
  static_cast<void>(cuda_driver()->cuDeviceGetAttribute(&major, DeviceAttribute::compute_capability_major, device));
  static_cast<void>(cuda_driver()->cuDeviceGetAttribute(&minor, DeviceAttribute::compute_capability_minor, device));
  return 10 * major + minor;
}

/// PTX for the best architecture that the compiler knows and the device has.
Result<std::string> compile_cuda(cu::Device device) {
  const auto& compiler = base::opened_once<cu::Compiler>();
  if (!compiler) return compiler.error();
  PINTLE_ASSIGN(known, compiler->architectures());
  int best = 0;
  for (const int each : known) best = each <= capability_of(device) ? std::max(best, each) : best;
  return compiler->compile(
      {std::string(cuda_text), "kernels.cu", {fmt::format("--gpu-architecture=compute_{}", best)}});
}

Result<std::string> compile_hip(cu::Device device) {
  const auto& compiler = base::opened_once<hip::Compiler>();
  if (!compiler) return compiler.error();
  PINTLE_ASSIGN(code,
                compiler->compile({std::string(cuda_text),
                                   "kernels.hip",
                                   {fmt::format("--offload-arch={}", hip::architecture_of(*hip::runtime(), device))}}));
  return std::string(base::text_in(code));
}

}  // namespace

Result<CudaApi> CudaApi::open_cuda() {
  if (!cuda_driver()) return cuda_driver().error();
  CudaApi api{&*cuda_driver(), nullptr, &compile_cuda};
  PINTLE_TRY(cuda_driver()->library.find("cuStreamSynchronize", api.synchronize));
  return api;
}

Result<CudaApi> CudaApi::open_hip() {
  if (!hip::runtime()) return hip::runtime().error();
  static const auto& table = *new cu::Driver(hip::as_cuda(*hip::runtime()));
  CudaApi api{&table, nullptr, &compile_hip};
  PINTLE_TRY(hip::runtime()->library.find("hipStreamSynchronize", api.synchronize));
  return api;
}

}  // namespace pintle::bench
