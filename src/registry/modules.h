// Backends outside the tree: shared libraries in the folder that PINTLE_BACKEND_PATH names. The contract is in
// pintle/backend/module.h.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::registry {

/// A file whose name is that of a module. It has not been opened.
struct ModuleFile {
  std::filesystem::path path;
  std::string name;  // of the backend
};

/// The modules of a folder by name; none where there is no such folder.
[[nodiscard]] std::vector<ModuleFile> module_files(const std::filesystem::path& folder);

/// Opens a module and makes its driver. A module that cannot be used becomes a driver without devices, whose absence
/// says why and what to do. The driver is never destroyed and the library never closed: it may have started anything.
[[nodiscard]] backend::Driver* load_module(const ModuleFile& file);

/// The drivers of the modules in `folder` that are `wanted`; none for an empty path. A folder that cannot be read
/// becomes an absence as well.
[[nodiscard]] std::vector<backend::Driver*> load_modules(const std::filesystem::path& folder,
                                                         const std::function<bool(std::string_view name)>& wanted);

}  // namespace pintle::registry
