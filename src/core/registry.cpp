#include "core/registry.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/settings.h"
#include "core/catalog.h"
#include "core/registry_table.h"

namespace pintle::core {
namespace {

/// What the factories make is never destroyed: devices may outlive every static object.
template <class Made, class Factory>
std::vector<Made*> make_all(std::span<const Factory> factories) {
  std::vector<Made*> all;
  for (const Factory& factory : factories) {
    auto made = factory.create();
    if (made != nullptr) all.push_back(made.release());
  }
  return all;
}

const Catalog& catalog() {
  static const Catalog& all =
      *new Catalog(make_all<backend::Driver>(driver_factories()), make_all<backend::Layer>(layer_factories()));
  return all;
}

}  // namespace

Result<DeviceList> list_devices() {
  PINTLE_TRY(base::settings());
  return catalog().list();
}

Result<DeviceRecipe> find_device(std::string_view id) {
  PINTLE_TRY(base::settings());
  return catalog().find(id);
}

}  // namespace pintle::core
