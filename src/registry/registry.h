// The devices of this build, by their ids.
#pragma once

#include <string_view>

#include "io/pack.h"
#include "pintle/device.h"
#include "pintle/error.h"
#include "registry/device_recipe.h"

namespace pintle::registry {

/// Lists every device of every backend in use order (drivers by name, then ordinal) and the explained absences. Opens
/// nothing.
[[nodiscard]] Result<DeviceList> list_devices();

/// Parses an id, resolves `best`, ordinals and uuids, and checks that device, layers and options exist. Opens nothing.
/// invalid_argument (with the column) when it does not parse; unavailable, listing the valid ids and why the backend is
/// absent, when there is no such device.
[[nodiscard]] Result<DeviceRecipe> find_device(std::string_view id);
/// The same for a device that takes a variant of the pack; `best` is the best one that does. `unavailable` says of each
/// device why it is not taken.
[[nodiscard]] Result<DeviceRecipe> find_device(std::string_view id, const io::Pack& pack);

/// A recipe that wraps a native device, once. The type's first word names the backend; `unsupported`, listing the
/// backends, when there is no such backend. The id is made up, and nobody can open it.
[[nodiscard]] Result<DeviceRecipe> wrap_device(std::string_view type, const void* native);

}  // namespace pintle::registry
