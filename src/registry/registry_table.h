// The backends and layers of this build: CMake writes the tables from the folders that it finds.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "pintle/backend/driver.h"

namespace pintle::registry {

struct DriverFactory {
  std::string_view name;
  std::unique_ptr<backend::Driver> (*create)();
};

struct LayerFactory {
  std::string_view name;
  std::unique_ptr<backend::Layer> (*create)();
};

/// In alphabetical order. Defined in the generated registry.cpp.
[[nodiscard]] std::span<const DriverFactory> driver_factories();
[[nodiscard]] std::span<const LayerFactory> layer_factories();

}  // namespace pintle::registry
