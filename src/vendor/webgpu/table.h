// A library that speaks webgpu.h as a table of functions, opened at run time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/dylib.h"
#include "pintle/error.h"
#include "vendor/webgpu/types.h"

namespace pintle::vendor::webgpu {

/// The names under which distributions and releases have such a library.
inline constexpr const char* library_names[] = {"libwgpu_native.so", "libwebgpu_dawn.so"};

/// The table owns its library. The functions are valid as long as the library is open.
struct Table {
  base::Dylib library;
#define REQUIRED(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
#define OPTIONAL(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
#include "vendor/webgpu/symbols.inc"
#undef REQUIRED
#undef OPTIONAL

  /// `unavailable` has the loader's words; `not_found` names the function that an older library lacks.
  [[nodiscard]] static Result<Table> open(const std::filesystem::path& path);
};

inline Result<Table> Table::open(const std::filesystem::path& path) {
  PINTLE_ASSIGN(library, base::Dylib::open(path));
  Table table{.library = std::move(library)};
#define REQUIRED(name, result, ...) PINTLE_TRY(table.library.find("wgpu" #name, table.name));
#define OPTIONAL(name, result, ...) static_cast<void>(table.library.find("wgpu" #name, table.name));
#include "vendor/webgpu/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
  return table;
}

}  // namespace pintle::vendor::webgpu
