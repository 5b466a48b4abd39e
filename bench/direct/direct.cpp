#include "bench/direct/direct.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace pintle::bench {

Result<std::unique_ptr<Direct>> open_direct(const Target& target, const std::string& cache) {
  if (target.backend == "vulkan") return open_direct_vulkan(target, cache);
  if (target.backend == "opencl") return open_direct_opencl(target, cache);
  if (target.backend == "cuda" || target.backend == "hip") return open_direct_cuda(target, cache);
  if (target.backend == "webgpu") return open_direct_webgpu(target);
  if (target.backend == "pjrt") return open_direct_pjrt(target);
  return Error(Errc::unsupported, fmt::format("Devices of {} have no other interface that a reference could be written "
                                              "against.",
                                              base::quote(target.backend)));
}

Result<void> check_call(int answer, std::string_view call) {
  if (answer == 0) return {};
  return Error(Errc::internal, fmt::format("The reference's call ({}) answers ({}).", call, answer));
}

}  // namespace pintle::bench
