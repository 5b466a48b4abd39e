// The seam, for backends outside the tree: what a shared library exports so that Pintle finds a backend in it.
//
// The library is a file libpintle_backend_NAME.so in the folder that PINTLE_BACKEND_PATH names. It exports one C
// function:
//
//   extern "C" const pintle::backend::Module* pintle_backend_module() {
//     static constexpr pintle::backend::Module module{.name = "NAME", .create = create};
//     return &module;
//   }
//
// It is built with the program's headers, compiler and standard library. It brings its own hidden copy of the parts of
// Pintle that it needs: docs/guide/backends.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pintle/backend/driver.h"
#include "pintle/log.h"

namespace pintle::backend {

/// A number made of the sizes of the types that cross the seam. It tells standard libraries and builds apart, which
/// `seam_version` cannot.
[[nodiscard]] constexpr std::uint64_t seam_layout() noexcept {
  std::uint64_t layout = 0;
  for (const std::uint64_t size :
       {sizeof(std::string), sizeof(std::vector<int>), sizeof(DeviceInfo), sizeof(Heap), sizeof(Absence), sizeof(Entry),
        sizeof(Command), sizeof(Argument), sizeof(Binding), sizeof(MemoryRequest), sizeof(ProgramImage),
        sizeof(MemorySource), sizeof(Result<MemoryId>), sizeof(Result<Exported>), sizeof(Enumeration)}) {
    layout = layout * 1099511628211u + size;
  }
  return layout;
}

/// A module's description of itself. The first two members never move.
struct Module {
  std::uint32_t size = sizeof(Module);
  std::uint32_t version = seam_version;
  std::uint64_t layout = seam_layout();
  /// The backend's name in device ids, and in the file's name.
  const char* name = nullptr;
  /// Called once, if all of the above fits. Returns the driver, which is never destroyed; null where there is none.
  Driver* (*create)() = nullptr;
  /// Sets the log of the module's own copy of Pintle, if it has one: its messages go where the program's go.
  void (*set_log)(LogCallback callback, LogLevel most_verbose) = set_log_callback;
};

/// The one symbol that Pintle looks up.
inline constexpr const char* module_symbol = "pintle_backend_module";
using OpenModule = const Module*();

}  // namespace pintle::backend
