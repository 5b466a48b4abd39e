// Every driver and layer that there is, and what can be found among them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device_id.h"
#include "core/registry.h"
#include "pintle/backend/driver.h"
#include "pintle/device.h"

namespace pintle::core {

/// The logic of the registry over given drivers and layers, which outlive it and what it hands out.
/// Listing a driver by name asks that driver alone: finding `cpu` does not load Vulkan.
class Catalog {
 public:
  Catalog(std::span<backend::Driver* const> drivers, std::span<backend::Layer* const> layers);

  [[nodiscard]] Result<DeviceList> list() const;
  [[nodiscard]] Result<DeviceRecipe> find(std::string_view id) const;

 private:
  /// A device where it was found.
  struct Place {
    backend::Driver* driver = nullptr;
    std::uint32_t ordinal = 0;
    std::string id;
    std::string uuid;
  };

  [[nodiscard]] Result<Place> place_of(const DeviceId& id) const;
  [[nodiscard]] Result<Place> best() const;
  [[nodiscard]] Result<std::vector<backend::Layer*>> layers_of(const DeviceId& id) const;
  [[nodiscard]] Error no_backend(const DeviceId& id) const;
  [[nodiscard]] Error no_place(const DeviceId& id, const DeviceList& found) const;
  [[nodiscard]] Error no_layer(const DeviceId& id, std::string_view name) const;
  [[nodiscard]] std::string valid_ids() const;

  std::vector<backend::Driver*> drivers_;  // by name
  std::vector<backend::Layer*> layers_;
};

}  // namespace pintle::core
