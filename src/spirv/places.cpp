#include "spirv/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/quote.h"
#include "pintle/entry.h"

namespace pintle::spirv {
namespace {

constexpr std::uint32_t version_1_4 = 0x00010400;

using Variables = std::vector<const Binding*>;

template <class... Values>
Error unsupported(fmt::format_string<Values...> sentence, Values&&... values) {
  return {Errc::unsupported, fmt::format(sentence, std::forward<Values>(values)...)};
}

Result<void> check(const Binding& binding, const KernelLimits& limits) {
  const auto name = base::quote(binding.name);
  if (binding.kind == Binding::Kind::other) {
    return unsupported("uses {} ({}) at set {}, binding {}, which no signature can declare", name, binding.what,
                       binding.set, binding.binding);
  }
  if (binding.set >= limits.sets) {
    return unsupported("uses {} at set {}, binding {}, and the device binds ({}) sets", name, binding.set,
                       binding.binding, limits.sets);
  }
  if (binding.binding >= limits.bindings) {
    return unsupported("uses {} at set {}, binding {}, and the largest number of a binding is ({})", name, binding.set,
                       binding.binding, limits.bindings - 1);
  }
  if (binding.count != 0 && binding.count <= Entry::max_parameters) return {};
  return unsupported("uses an array of {} descriptors, {}, at set {}, binding {}, where at most {} can be declared",
                     binding.count == 0 ? "any number of" : std::to_string(binding.count), name, binding.set,
                     binding.binding, Entry::max_parameters);
}

/// The variables of one binding have one descriptor type.
Result<void> check_alike(const Variables& variables) {
  const Binding& first = *variables[0];
  for (const Binding* const other : variables) {
    if (other->kind == first.kind && other->count == first.count) continue;
    return Error(Errc::invalid_argument,
                 fmt::format("has {} and {} at set {}, binding {}, which are not of one kind", base::quote(first.name),
                             base::quote(other->name), first.set, first.binding));
  }
  return {};
}

}  // namespace

std::string text_of(const Place& place) {
  return fmt::format("set {}, binding {}{}", place.at.set, place.at.binding,
                     place.is_element ? fmt::format(", element {}", place.at.element) : "");
}

bool uses(const Module& module, const EntryPoint& entry, std::uint32_t variable) {
  const auto has = [&](const std::vector<std::uint32_t>& ids) { return std::ranges::count(ids, variable) != 0; };
  if (module.version >= version_1_4) return has(entry.interface);
  return module.entries.size() == 1 || has(entry.used);
}

Result<std::vector<Place>> find_places(const Module& module, const EntryPoint& entry, const KernelLimits& limits) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Variables> bound;
  for (const Binding& binding : module.bindings) {
    if (!uses(module, entry, binding.id)) continue;
    PINTLE_TRY(check(binding, limits));
    bound[{binding.set, binding.binding}].push_back(&binding);
  }
  std::vector<Place> places;
  for (const auto& [number, variables] : bound) {
    PINTLE_TRY(check_alike(variables));
    const DescriptorKind kind = variables[0]->kind;
    const std::uint32_t count = variables[0]->count;
    for (std::uint32_t element = 0; element < count; ++element)
      places.push_back({{number.first, number.second, element, kind}, count > 1, variables});
  }
  return places;
}

}  // namespace pintle::spirv
