// AMD's HIP runtime as a table of functions, opened at run time.
#pragma once

#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "base/dylib.h"
#include "pintle/error.h"
#include "vendor/hip/types.h"

namespace pintle::vendor::hip {

inline constexpr std::array runtime_names{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

/// The table owns its library. The functions are valid as long as the library is open.
struct Runtime {
  base::Dylib library;
#define FUNCTION(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "vendor/hip/symbols.inc"
  // Null where the library lacks them.
#include "vendor/hip/optional_symbols.inc"
#undef FUNCTION

  /// `unavailable` has the loader's words on each name; `not_found` names the function that an old runtime lacks.
  [[nodiscard]] static Result<Runtime> open(std::span<const char* const> names = runtime_names);
};

inline Result<Runtime> Runtime::open(std::span<const char* const> names) {
  PINTLE_ASSIGN(library, base::Dylib::open_any(names));
  Runtime table;
#define FUNCTION(name, ...) PINTLE_TRY(library.find(#name, table.name));
#include "vendor/hip/symbols.inc"
#undef FUNCTION
#define FUNCTION(name, ...) static_cast<void>(library.find(#name, table.name));
#include "vendor/hip/optional_symbols.inc"
#undef FUNCTION
  table.library = std::move(library);
  return table;
}

}  // namespace pintle::vendor::hip
