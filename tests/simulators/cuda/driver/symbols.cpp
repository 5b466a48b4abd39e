// cuGetProcAddress: every function that the simulator has, with the version of its declaration.
#include <string_view>
#include <type_traits>

#include "driver/state.h"
#include "exports.h"

using pintle::vendor::cuda::Context;
using pintle::vendor::cuda::Device;
using pintle::vendor::cuda::DeviceAttribute;
using pintle::vendor::cuda::DevicePointer;
using pintle::vendor::cuda::Event;
using pintle::vendor::cuda::Flags64;
using pintle::vendor::cuda::Function;
using pintle::vendor::cuda::FunctionAttribute;
using pintle::vendor::cuda::JitOption;
using pintle::vendor::cuda::Module;
using pintle::vendor::cuda::ProcAddressQuery;
using pintle::vendor::cuda::Status;
using pintle::vendor::cuda::Stream;
using pintle::vendor::cuda::Uuid;

// Declared after the table of the backend, so that a definition of another type does not compile.
extern "C" {
#define FUNCTION(name, exported, version, ...) std::type_identity_t<__VA_ARGS__> exported;
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
}

namespace pintle::simulator {
namespace {

struct Symbol {
  std::string_view name;
  int version;
  void* address;
};

const Symbol symbols[] = {
#define FUNCTION(name, exported, version, ...) {#name, version, reinterpret_cast<void*>(&::exported)},
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
};

}  // namespace
}  // namespace pintle::simulator

PINTLE_SIMULATED Status cuGetProcAddress_v2(const char* name, void** address, int version, Flags64,
                                            ProcAddressQuery* query) {
  *address = nullptr;
  auto answer = ProcAddressQuery::not_found;
  for (const pintle::simulator::Symbol& symbol : pintle::simulator::symbols) {
    if (symbol.name != name) continue;
    const bool is_there = version >= symbol.version;
    answer = is_there ? ProcAddressQuery::found : ProcAddressQuery::version_not_sufficient;
    if (is_there) *address = symbol.address;
  }
  if (query != nullptr) *query = answer;
  return answer == ProcAddressQuery::found ? Status::CUDA_SUCCESS : Status::CUDA_ERROR_NOT_FOUND;
}
