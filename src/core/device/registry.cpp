#include "core/device/registry.h"

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/settings.h"
#include "core/device/catalog.h"
#include "core/device/registry_table.h"

namespace pintle::core {
namespace {

/// What the factories make is never destroyed: devices may outlive every static object.
template <class Made, class Factory, class Wanted>
std::vector<Made*> make_all(std::span<const Factory> factories, Wanted wanted) {
  std::vector<Made*> all;
  for (const Factory& factory : factories) {
    auto made = wanted(factory.name) ? factory.create() : nullptr;
    if (made != nullptr) all.push_back(made.release());
  }
  return all;
}

bool is_listed(std::string_view list, std::string_view name) {
  return std::ranges::any_of(list | std::views::split(','),
                             [&](auto part) { return std::string_view(part.begin(), part.end()) == name; });
}

Result<void> check_backends(std::string_view list) {
  for (const auto part : list | std::views::split(',')) {
    const std::string_view name(part.begin(), part.end());
    if (std::ranges::find(driver_factories(), name, &DriverFactory::name) != driver_factories().end()) continue;
    std::string known;
    for (const DriverFactory& factory : driver_factories())
      known += (known.empty() ? "" : ", ") + std::string(factory.name);
    return Error(Errc::invalid_argument, "Value " + base::quote(name) +
                                             " in variable PINTLE_BACKENDS is no backend of this build; they are " +
                                             known + ".");
  }
  return {};
}

Result<const Catalog*> make_catalog() {
  PINTLE_ASSIGN(settings, base::settings());
  const std::string_view list = settings->backends;
  if (!list.empty()) PINTLE_TRY(check_backends(list));
  const auto is_wanted = [&](std::string_view name) { return list.empty() || is_listed(list, name); };
  const auto all = [](std::string_view) { return true; };
  return new Catalog(make_all<backend::Driver>(driver_factories(), is_wanted),
                     make_all<backend::Layer>(layer_factories(), all));
}

const Result<const Catalog*>& catalog() {
  static const auto& made = *new Result<const Catalog*>(make_catalog());
  return made;
}

}  // namespace

Result<DeviceList> list_devices() {
  PINTLE_ASSIGN(all, catalog());
  return all->list();
}

Result<DeviceRecipe> find_device(std::string_view id) {
  PINTLE_ASSIGN(all, catalog());
  return all->find(id);
}

Result<DeviceRecipe> wrap_device(std::string_view type, const void* native) {
  PINTLE_ASSIGN(all, catalog());
  return all->wrap({type, native});
}

}  // namespace pintle::core
