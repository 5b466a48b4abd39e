// cuGetProcAddress: every function that the simulator has, with the version of its declaration.
#include <atomic>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "driver/state.h"
#include "exports.h"

using namespace pintle::vendor::cuda;

// Declared after the table of the backend, so that a definition of another type does not compile.
extern "C" {
#define FUNCTION(name, exported, version, ...) std::type_identity_t<__VA_ARGS__> exported;
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
}

namespace pintle::simulator {
namespace {

/// What a caller gets for a function: it counts its calls, for tests of how many a backend makes.
template <auto Function>
struct Counted;
template <class... Arguments, Status (*Function)(Arguments...)>
struct Counted<Function> {
  static Status call(Arguments... arguments) {
    calls.fetch_add(1, std::memory_order_relaxed);
    ++of_thread;
    return Function(arguments...);
  }
  static inline std::atomic<std::uint64_t> calls{0};
  static inline thread_local std::uint64_t of_thread = 0;
  static std::uint64_t calls_of_thread() { return of_thread; }
};

struct Symbol {
  std::string_view name;
  int version;
  void* address;
  const std::atomic<std::uint64_t>* calls;
  std::uint64_t (*calls_of_thread)();
};

const Symbol symbols[] = {
#define FUNCTION(name, exported, version, ...)                                                         \
  {#name, version, reinterpret_cast<void*>(&Counted<&::exported>::call), &Counted<&::exported>::calls, \
   &Counted<&::exported>::calls_of_thread},
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
};

/// A test that counted the calls of a function that is not there would never fail.
const Symbol& counted(std::string_view name) {
  for (const Symbol& symbol : symbols) {
    if (symbol.name == name) return symbol;
  }
  die("simulated_calls", "the name of no function");
}

}  // namespace
}  // namespace pintle::simulator

/// How often the process has called a function that it got from cuGetProcAddress.
PINTLE_SIMULATED std::uint64_t simulated_calls(const char* name) {
  return pintle::simulator::counted(name).calls->load(std::memory_order_relaxed);
}

/// The same of the calling thread.
PINTLE_SIMULATED std::uint64_t simulated_thread_calls(const char* name) {
  return pintle::simulator::counted(name).calls_of_thread();
}

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
