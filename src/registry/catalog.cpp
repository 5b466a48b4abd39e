#include "registry/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "base/contain.h"
#include "base/device_name.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "registry/takes.h"

namespace pintle::registry {
namespace {

using backend::Driver;
using backend::Layer;

/// Sorts by name. Where two have one name, the first stays.
template <class Named>
std::vector<Named*> by_name(std::span<Named* const> unsorted) {
  std::vector<Named*> sorted;
  for (Named* const item : unsorted) {
    const auto place =
        std::ranges::lower_bound(sorted, item->name(), {}, [](const Named* other) { return other->name(); });
    if (place == sorted.end() || (*place)->name() != item->name()) {
      sorted.insert(place, item);
    } else {
      base::log(LogLevel::warn, "core", "A second backend or layer with the name {} is left out.",
                base::quote(item->name()));
    }
  }
  return sorted;
}

template <class Named>
Named* find_named(const std::vector<Named*>& sorted, std::string_view name) {
  const auto found = std::ranges::find(sorted, name, [](const Named* item) { return item->name(); });
  return found == sorted.end() ? nullptr : *found;
}

/// The devices of one driver, under canonical ids: the only device of a driver needs no ordinal.
DeviceList list_of(Driver& driver) {
  backend::Enumeration found = driver.enumerate();
  const std::string name(driver.name());
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    found.devices[i].id = found.devices.size() == 1 ? name : fmt::format("{}:{}", name, i);
    found.devices[i].backend = name;
  }
  for (Absence& absence : found.absences) absence.backend = name;
  if (found.devices.empty() && found.absences.empty()) {
    found.absences.push_back({name, "The driver finds no device and gives no reason.", {}});
  }
  return {std::move(found.devices), std::move(found.absences)};
}

Place place_at(Driver& driver, const DeviceList& found, std::size_t ordinal) {
  return {&driver, static_cast<std::uint32_t>(ordinal), found.devices.size(), found.devices[ordinal].uuid};
}

void append_sentence(std::string& text, std::string_view sentence) {
  if (sentence.empty()) return;
  if (!text.empty()) text += ' ';
  text += sentence;
  if (!text.ends_with('.')) text += '.';
}

std::string text_of(const std::vector<Absence>& absences) {
  std::string text;
  for (const Absence& absence : absences) {
    append_sentence(text, absence.reason);
    append_sentence(text, absence.next_step);
  }
  return text;
}

/// The kinds of devices, the best first.
constexpr std::array kinds{DeviceKind::discrete_gpu, DeviceKind::integrated_gpu, DeviceKind::accelerator,
                           DeviceKind::cpu,          DeviceKind::software,       DeviceKind::simulated};
/// `best` picks from so many of them: never a software or simulated device.
constexpr std::ptrdiff_t eligible = 4;

std::ptrdiff_t rank_of(DeviceKind kind) noexcept { return std::ranges::find(kinds, kind) - kinds.begin(); }

bool is_eligible(const DeviceInfo& device) noexcept { return rank_of(device.kind) < eligible; }

/// The ordinal of the best device of a driver that has one; the first where several are as good.
std::size_t best_of(const std::vector<DeviceInfo>& devices) {
  const auto rank = [](const DeviceInfo& device) { return rank_of(device.kind); };
  return static_cast<std::size_t>(std::ranges::min_element(devices, {}, rank) - devices.begin());
}

/// Whether the device takes the pack, if there is one. The log says why a device that `best` would be does not.
bool takes_or_logs(const DeviceInfo& device, const io::Pack* pack) {
  const auto taken = pack == nullptr ? Result<void>() : takes(device, *pack);
  if (!taken) base::log(LogLevel::info, "core", "\"best\" passes over a device. {}", taken.error().message());
  return taken.has_value();
}

/// Opens the device at a place, again after each loss, and wraps it in its layers.
class Opening {
 public:
  Opening(Place place, DeviceId id, std::vector<Layer*> layers)
      : place_(std::move(place)), id_(std::move(id)), layers_(std::move(layers)) {}

  Result<std::unique_ptr<backend::Device>> operator()() {
    return base::contain("opening a device", [&] { return open(); });
  }

 private:
  Result<std::unique_ptr<backend::Device>> open() {
    PINTLE_ASSIGN(ordinal, ordinal_now());
    auto device = place_.driver->open(ordinal, views_of(id_.options));
    if (device && *device == nullptr) device = no_device(place_.driver->name());
    for (std::size_t i = layers_.size(); device && i-- > 0;) {
      device = layers_[i]->wrap(*std::move(device), views_of(id_.layers[i].options));
      if (device && *device == nullptr) device = no_device(layers_[i]->name());
    }
    if (!device) return device.error().during(fmt::format("opening [{}]", id_.text()));
    return device;
  }

  /// Ordinals move when a device vanishes; a uuid does not. At the first call the place has just been found.
  Result<std::uint32_t> ordinal_now() {
    if (std::exchange(was_just_found_, false) || place_.uuid.empty()) return place_.ordinal;
    const std::vector<DeviceInfo> devices = place_.driver->enumerate().devices;
    if (place_.ordinal < devices.size() && devices[place_.ordinal].uuid == place_.uuid) return place_.ordinal;
    const auto moved = std::ranges::find(devices, place_.uuid, &DeviceInfo::uuid);
    if (moved != devices.end()) return static_cast<std::uint32_t>(moved - devices.begin());
    return Error(Errc::unavailable,
                 fmt::format("Device with the uuid {} is not there any more.", base::quote(place_.uuid)));
  }

  static std::vector<backend::Option> views_of(const std::vector<IdOption>& options) {
    std::vector<backend::Option> views;
    for (const IdOption& option : options) views.push_back({option.key, option.value});
    return views;
  }

  static Error no_device(std::string_view name) {
    return {Errc::internal, fmt::format("Opening by {} succeeds without a device.", base::quote(name))};
  }

  Place place_;
  DeviceId id_;
  std::vector<Layer*> layers_;  // of id_.layers, in order
  bool was_just_found_ = true;
};

}  // namespace

Catalog::Catalog(std::span<Driver* const> drivers, std::span<Layer* const> layers, Surroundings surroundings)
    : drivers_(by_name(drivers)), layers_(by_name(layers)), surroundings_(std::move(surroundings)) {}

DeviceList Catalog::all() const {
  DeviceList all;
  for (Driver* driver : drivers_) {
    DeviceList found = list_of(*driver);
    std::ranges::move(found.devices, std::back_inserter(all.devices));
    std::ranges::move(found.absences, std::back_inserter(all.absences));
  }
  return all;
}

Result<DeviceList> Catalog::list() const {
  return base::contain("listing devices", [&]() -> Result<DeviceList> { return all(); });
}

std::string Catalog::layer_names() const {
  std::string names;
  for (const Layer* layer : layers_) names += fmt::format("{}{}", names.empty() ? "" : ", ", layer->name());
  return names.empty() ? "none" : names;
}

std::string Catalog::valid_ids() const {
  const std::vector<DeviceInfo> devices = all().devices;
  if (devices.empty()) return "none";
  return fmt::format("{}{}", std::ranges::any_of(devices, is_eligible) ? "best, " : "",
                     fmt::join(ids_by_name(devices), ", "));
}

std::vector<std::string> Catalog::known_names() const {
  std::vector<std::string> names{"best"};
  for (const Driver* driver : drivers_) names.emplace_back(driver->name());
  for (const Layer* layer : layers_) names.emplace_back(layer->name());
  return names;
}

Error Catalog::nowhere(const DeviceId& id, std::string_view why) const {
  return {Errc::unavailable, fmt::format("Device id {} names no device here. {} Valid ids are {}; layers are {}.",
                                         base::quote(id.text()), why, valid_ids(), layer_names())};
}

// Picks the first device of the best kind that takes the pack.
Result<Place> Catalog::best(const io::Pack* pack) const {
  const DeviceKind ceiling = surroundings_.may_have_accelerators() ? kinds.front() : DeviceKind::cpu;
  Place best;
  std::ptrdiff_t best_rank = eligible;
  for (Driver* driver : drivers_) {
    if (best_rank <= rank_of(ceiling)) break;
    const DeviceList found = list_of(*driver);
    for (std::size_t i = 0; i < found.devices.size(); ++i) {
      const std::ptrdiff_t rank = rank_of(found.devices[i].kind);
      if (rank >= best_rank || !takes_or_logs(found.devices[i], pack)) continue;
      best_rank = rank;
      best = place_at(*driver, found, i);
    }
  }
  if (best.driver != nullptr) return best;
  if (pack != nullptr) return nowhere_for(*pack);
  DeviceId id;
  id.backend = "best";
  return nowhere(id, "Neither hardware nor a cpu device is there.");
}

/// Says of every device why `best` is not that one for the pack.
Error Catalog::nowhere_for(const io::Pack& pack) const {
  const DeviceList found = all();
  std::string text = fmt::format("Device id \"best\" names no device that takes [Program {}].", base::quote(pack.name));
  for (const DeviceInfo& device : found.devices) {
    const auto taken = takes(device, pack);
    text += taken ? fmt::format("\n - [{0}] takes it, and is {1}, which \"best\" never picks: name it (\"{0}\").",
                                device.id, name(device.kind))
                  : "\n - " + std::string(taken.error().message());
  }
  for (const Absence& absence : found.absences) {
    text += fmt::format("\n - Backend {} has no device: {}", base::quote(absence.backend), text_of({absence}));
  }
  return {Errc::unavailable, std::move(text)};
}

/// Finds the one device whose uuid, name or driver begins with the id's word.
Result<Place> Catalog::called(const DeviceId& id, Driver& driver, const DeviceList& found) const {
  const std::vector<std::size_t> matches = base::devices_called(id.word, found.devices);
  const std::string word = base::quote(id.word), name = base::quote(driver.name());
  if (matches.empty())
    return nowhere(id, fmt::format("No uuid, name or driver of the devices of {} begins with {}.", name, word));
  if (matches.size() == 1) return place_at(driver, found, matches.front());
  std::vector<std::string> ids;
  for (const std::size_t match : matches) ids.push_back(found.devices[match].id);
  return Error(Errc::invalid_argument, fmt::format("Word {} begins the uuid, name or driver of {} devices of {}: {}.",
                                                   word, matches.size(), name, fmt::join(ids, ", ")));
}

Result<Place> Catalog::named(const DeviceId& id) const {
  Driver* const driver = find_named(drivers_, id.backend);
  const std::string name = base::quote(id.backend);
  if (driver == nullptr && find_named(layers_, id.backend) != nullptr) {
    return nowhere(id, fmt::format("Layer {} goes around a device: {}(cpu).", name, id.backend));
  }
  if (driver == nullptr)
    return nowhere(id, fmt::format("There is no backend {}.{}", name, base::did_you_mean(id.backend, known_names())));
  const DeviceList found = list_of(*driver);
  if (found.devices.empty())
    return nowhere(id, fmt::format("Backend {} has no device: {}", name, text_of(found.absences)));
  if (!id.word.empty()) return called(id, *driver, found);
  if (!id.ordinal) return place_at(*driver, found, best_of(found.devices));
  if (*id.ordinal < found.devices.size()) return place_at(*driver, found, *id.ordinal);
  return nowhere(id, fmt::format("Ordinal ({}) is not below the number ({}) of devices of {}.", *id.ordinal,
                                 found.devices.size(), name));
}

Result<Place> Catalog::place_of(const DeviceId& id, const io::Pack* pack) const {
  if (id.is_best()) return best(pack);
  PINTLE_ASSIGN(place, named(id));
  if (pack == nullptr) return place;
  const DeviceList found = list_of(*place.driver);
  const auto taken = takes(found.devices[place.ordinal], *pack);
  if (!taken) return Error(Errc::unavailable, std::string(taken.error().message()));
  return place;
}

Result<std::vector<Layer*>> Catalog::layers_of(const DeviceId& id) const {
  std::vector<Layer*> layers;
  for (const IdLayer& wanted : id.layers) {
    Layer* const layer = find_named(layers_, wanted.name);
    if (layer == nullptr)
      return nowhere(id, fmt::format("There is no layer {}.{}", base::quote(wanted.name),
                                     base::did_you_mean(wanted.name, known_names())));
    layers.push_back(layer);
  }
  return layers;
}

Result<DeviceRecipe> Catalog::find(std::string_view text, const io::Pack* pack) const {
  return base::contain("finding a device", [&]() -> Result<DeviceRecipe> {
    PINTLE_ASSIGN(asked, DeviceId::parse(text));
    const bool is_meant = asked.is_best() && !surroundings_.best.empty();
    return is_meant ? find_meant(asked, pack) : find(std::move(asked), pack);
  });
}

/// Finds the device that PINTLE_DEVICE means by `best`, with the layers of both ids around it.
Result<DeviceRecipe> Catalog::find_meant(const DeviceId& best, const io::Pack* pack) const {
  constexpr const char* doing = "opening what variable PINTLE_DEVICE names";
  auto id = DeviceId::parse(surroundings_.best);
  if (!id) return id.error().during(doing);
  id->layers.insert(id->layers.begin(), best.layers.begin(), best.layers.end());
  auto recipe = find(*std::move(id), pack);
  if (!recipe) return recipe.error().during(doing);
  return recipe;
}

Result<DeviceRecipe> Catalog::find(DeviceId id, const io::Pack* pack) const {
  PINTLE_ASSIGN(layers, layers_of(id));
  PINTLE_ASSIGN(place, place_of(id, pack));
  // From here on the id says where the device was found.
  id.backend = place.driver->name();
  id.ordinal = place.count == 1 ? std::nullopt : std::optional(place.ordinal);
  id.word.clear();
  return DeviceRecipe{id.text(), Opening(std::move(place), id, std::move(layers))};
}

// The caller made the native device, so a loss cannot be followed by a second opening.
Result<DeviceRecipe> Catalog::wrap(const backend::NativeObject& device) const {
  return base::contain("wrapping a device", [&]() -> Result<DeviceRecipe> {
    static std::atomic<std::uint64_t> last{0};
    Driver* const driver = find_named(drivers_, device.type.substr(0, device.type.find('.')));
    if (driver == nullptr) {
      return Error(Errc::unsupported, fmt::format("Native type {} is of no backend here. Valid ids are {}.",
                                                  base::quote(device.type), valid_ids()));
    }
    const std::string id = fmt::format("{}?native={}", driver->name(), ++last);
    auto wrap = [driver, id, device, is_done = false]() mutable -> Result<std::unique_ptr<backend::Device>> {
      if (!std::exchange(is_done, true)) return driver->wrap(device, id);
      return Error(Errc::unavailable,
                   fmt::format("[{}] is over native objects that are lost; make new ones and wrap them.", id));
    };
    return DeviceRecipe{id, std::move(wrap)};
  });
}

}  // namespace pintle::registry
