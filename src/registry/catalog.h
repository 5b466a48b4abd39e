// All drivers and layers, and the devices that can be found among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/pack.h"
#include "pintle/backend/driver.h"
#include "pintle/device.h"
#include "registry/device_id.h"
#include "registry/device_recipe.h"

namespace pintle::registry {

/// A device where it was found.
struct Place {
  backend::Driver* driver = nullptr;
  std::uint32_t ordinal = 0;
  std::size_t count = 1;  // devices of the driver
  std::string uuid;       // empty where the driver gives none
};

/// What the catalog knows besides its drivers.
struct Surroundings {
  std::string best{};                                                 // the id that `best` stands for; empty: none
  std::function<bool()> may_have_accelerators = [] { return true; };  // beside the host's processor
};

/// The logic of the registry over given drivers and layers, which outlive the catalog and its recipes.
/// Finding a device by name asks its driver alone: `cpu` does not load Vulkan. `best` asks a driver only where that
/// driver may have a better device: a vendor's library may take a second to load. Immutable, thread-safe.
class Catalog {
 public:
  Catalog(std::span<backend::Driver* const> drivers, std::span<backend::Layer* const> layers,
          Surroundings surroundings = {});

  [[nodiscard]] Result<DeviceList> list() const;
  /// With a pack, the device takes a variant of it, and `best` is the best that does.
  [[nodiscard]] Result<DeviceRecipe> find(std::string_view id, const io::Pack* pack = nullptr) const;
  [[nodiscard]] Result<DeviceRecipe> wrap(const backend::NativeObject& device) const;

 private:
  [[nodiscard]] DeviceList all() const;
  [[nodiscard]] Result<DeviceRecipe> find(DeviceId id, const io::Pack* pack) const;
  [[nodiscard]] Result<DeviceRecipe> find_meant(const DeviceId& best, const io::Pack* pack) const;
  [[nodiscard]] Result<Place> place_of(const DeviceId& id, const io::Pack* pack) const;
  [[nodiscard]] Result<Place> named(const DeviceId& id) const;
  [[nodiscard]] Result<Place> best(const io::Pack* pack) const;
  [[nodiscard]] Error nowhere_for(const io::Pack& pack) const;
  [[nodiscard]] Result<std::vector<backend::Layer*>> layers_of(const DeviceId& id) const;
  [[nodiscard]] Result<Place> called(const DeviceId& id, backend::Driver& driver, const DeviceList& found) const;
  [[nodiscard]] std::vector<std::string> known_names() const;
  [[nodiscard]] Error nowhere(const DeviceId& id, std::string_view why) const;
  [[nodiscard]] std::string valid_ids() const;
  [[nodiscard]] std::string layer_names() const;

  std::vector<backend::Driver*> drivers_;  // by name
  std::vector<backend::Layer*> layers_;    // by name
  Surroundings surroundings_;
};

}  // namespace pintle::registry
