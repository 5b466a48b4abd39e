// OpenCL as a table of functions, opened at run time through its ICD loader.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // every version has the queues of 1.2
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <array>
#include <span>
#include <utility>

#include "base/dylib.h"
#include "pintle/error.h"

namespace pintle::vendor::opencl {

inline constexpr std::array library_names{"libOpenCL.so.1", "libOpenCL.so"};

/// The table owns its library. The functions are valid as long as the library is open.
struct Table {
  base::Dylib library;
#define REQUIRED(function) decltype(&::function) function = nullptr;
#define OPTIONAL(function) decltype(&::function) function = nullptr;
#include "vendor/opencl/symbols.inc"
#undef REQUIRED
#undef OPTIONAL

  /// `unavailable` has the loader's words on each name; `not_found` names the function that an old loader lacks.
  [[nodiscard]] static Result<Table> open(std::span<const char* const> names = library_names);
};

inline Result<Table> Table::open(std::span<const char* const> names) {
  PINTLE_ASSIGN(library, base::Dylib::open_any(names));
  Table table{.library = std::move(library)};
#define REQUIRED(function) PINTLE_TRY(table.library.find(#function, table.function));
#define OPTIONAL(function) static_cast<void>(table.library.find(#function, table.function));
#include "vendor/opencl/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
  return table;
}

}  // namespace pintle::vendor::opencl
