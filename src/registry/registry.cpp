#include "registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <ranges>
#include <vector>

#include "base/device_nodes.h"
#include "base/made_once.h"
#include "base/quote.h"
#include "base/settings.h"
#include "registry/catalog.h"
#include "registry/modules.h"
#include "registry/registry_table.h"

namespace pintle::registry {
namespace {

/// The made drivers and layers are never destroyed: devices may outlive every static object.
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

/// The backends of this build, then those of modules.
std::vector<std::string> known_backends(const std::filesystem::path& modules) {
  std::vector<std::string> names;
  for (const DriverFactory& factory : driver_factories()) names.emplace_back(factory.name);
  for (const ModuleFile& file : module_files(modules)) names.push_back(file.name);
  return names;
}

Result<void> check_backends(std::string_view list, const std::filesystem::path& modules) {
  const std::vector<std::string> names = known_backends(modules);
  for (const auto part : list | std::views::split(',')) {
    const std::string_view name(part.begin(), part.end());
    if (std::ranges::find(names, name) != names.end()) continue;
    return Error(Errc::invalid_argument,
                 fmt::format("Value {} in variable PINTLE_BACKENDS is no backend of this build; they are {}.",
                             base::quote(name), fmt::join(names, ", ")));
  }
  return {};
}

Result<const Catalog*> make_catalog() {
  PINTLE_ASSIGN(settings, base::settings());
  const std::string_view list = settings->backends;
  if (!list.empty()) PINTLE_TRY(check_backends(list, settings->backend_path));
  const auto is_wanted = [&](std::string_view name) { return list.empty() || is_listed(list, name); };
  const auto all = [](std::string_view) { return true; };
  std::vector<backend::Driver*> drivers = make_all<backend::Driver>(driver_factories(), is_wanted);
  std::ranges::copy(load_modules(settings->backend_path, is_wanted), std::back_inserter(drivers));
  return new Catalog(drivers, make_all<backend::Layer>(layer_factories(), all),
                     {settings->device, [] { return base::may_have_accelerators("/"); }});
}

const Result<const Catalog*>& catalog() {
  static const auto& made = *new Result<const Catalog*>(base::made_once(make_catalog()));
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

Result<DeviceRecipe> find_device(std::string_view id, const io::Pack& pack) {
  PINTLE_ASSIGN(all, catalog());
  return all->find(id, &pack);
}

Result<DeviceRecipe> wrap_device(std::string_view type, const void* native) {
  PINTLE_ASSIGN(all, catalog());
  return all->wrap({type, native});
}

}  // namespace pintle::registry
