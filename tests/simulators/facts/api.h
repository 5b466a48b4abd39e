// The functions of a driver that is asked: those of the backend's table, and more.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "facts/rule.h"
#include "pintle/error.h"
#include "vendor/cuda/driver.h"

namespace facts {

using namespace pintle::vendor::cuda;

enum class Vendor : std::uint8_t { cuda, hip };

using HostFunction = std::add_pointer_t<void(void*)>;  // CUhostFn

/// Null where the library does not have a function.
struct More {
#define FUNCTION(name, exported, of_hip, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "facts/more_symbols.inc"
#undef FUNCTION
};

struct Api {
  Vendor vendor;
  const Driver& cuda;
  More more;
};

/// The driver of the vendor, opened once and never closed. `unavailable` has the loader's words.
[[nodiscard]] pintle::Result<Api> open_api(Vendor vendor);

/// The function, or NotAsked where the library does not have it.
template <class Function>
Function* there(Function* function, const char* name) {
  if (function == nullptr) throw NotAsked(std::string("the driver does not have ") + name);
  return function;
}

/// "700".
[[nodiscard]] inline std::string text(Status status) { return std::to_string(static_cast<unsigned>(status)); }
/// "0 0 400", of calls in their order.
[[nodiscard]] std::string codes(std::initializer_list<Status> statuses);
/// Throws Unprepared where the call was refused.
void expect(Status status, const char* call);

}  // namespace facts
