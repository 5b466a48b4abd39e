#include "bench/direct/opencl_functions.h"

#include <array>

namespace pintle::bench {
namespace {

Result<const OpenClFunctions*> load() {
  PINTLE_ASSIGN(loader, base::Dylib::open_any(std::array{"libOpenCL.so.1", "libOpenCL.so"}));
  auto& cl = *new OpenClFunctions{.loader = std::move(loader)};
  const auto take = [&]<class Function>(Function& function, const char* name) -> Result<void> {
    PINTLE_ASSIGN(address, cl.loader.symbol(name));
    function = reinterpret_cast<Function>(address);
    return {};
  };
#define BENCH_LOAD(name) PINTLE_TRY(take(cl.name, #name));
  BENCH_OPENCL_FUNCTIONS(BENCH_LOAD)
#undef BENCH_LOAD
  return &cl;
}

}  // namespace

Result<CommandBufferFunctions> CommandBufferFunctions::of(const OpenClFunctions& cl, cl_platform_id platform) {
  CommandBufferFunctions functions;
  bool has_all = true;
  const auto take = [&]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(cl.clGetExtensionFunctionAddressForPlatform(platform, name));
    has_all &= function != nullptr;
  };
  take(functions.create, "clCreateCommandBufferKHR");
  take(functions.release, "clReleaseCommandBufferKHR");
  take(functions.launch, "clCommandNDRangeKernelKHR");
  take(functions.finalize, "clFinalizeCommandBufferKHR");
  take(functions.enqueue, "clEnqueueCommandBufferKHR");
  if (has_all) return functions;
  return Error(Errc::unsupported, "The platform lacks functions of cl_khr_command_buffer.");
}

Result<const OpenClFunctions*> OpenClFunctions::open() {
  static const auto& opened = *new Result<const OpenClFunctions*>(load());
  return opened;
}

}  // namespace pintle::bench
