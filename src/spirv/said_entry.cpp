#include "spirv/said_entry.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/quote.h"
#include "spirv/descriptors.h"
#include "spirv/matching.h"
#include "spirv/scalars.h"

namespace pintle::spirv {
namespace {

/// Parameters with one name all get another one: a name of the module that is another parameter's would say that the
/// order differs.
void make_unique(Declarations& parameters) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    std::string& name = parameters[index].name;
    if (!base::is_identifier(name)) name = fmt::format("p{}", index);
    ++counts[name];
  }
  std::set<std::string> used;
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    std::string& name = parameters[index].name;
    if (counts[name] > 1) name = fmt::format("{}_{}", name, index);
    while (!used.insert(name).second) name += '_';
  }
}

std::string text_of(const std::vector<GroupSide>& group) {
  std::vector<std::string> sides;
  std::set<std::string> named;
  for (const auto& [size, name] : group) {
    if (name.empty()) sides.push_back(fmt::to_string(size));
    else sides.push_back(named.insert(name).second ? fmt::format("{}={}", name, size) : name);
  }
  return fmt::format("{}", fmt::join(sides, ","));
}

}  // namespace

DType dtype_of(const Place& place) {
  std::optional<base::Number> number;
  for (const Binding* const variable : place.variables) {
    for (const Field& field : variable->block.fields) {
      if (number && *number != field.number) return DType::u8;
      number = field.number;
    }
  }
  return number ? base::dtype_of(*number).value_or(DType::u8) : DType::u8;
}

Access access_of(const EntryPoint& entry, const Place& place) {
  const auto touches = [&](const std::vector<std::uint32_t>& ids) {
    return std::ranges::any_of(place.variables,
                               [&](const Binding* one) { return std::ranges::binary_search(ids, one->id); });
  };
  const bool may_write = !is_uniform(place) && std::ranges::any_of(place.variables, &Binding::is_writable);
  const bool may_read = std::ranges::any_of(place.variables, &Binding::is_readable);
  if (!may_write) return Access::read;
  if (!may_read) return Access::write;
  if (touches(entry.escaped)) return Access::read_write;
  if (!touches(entry.written)) return Access::read;
  return touches(entry.read) ? Access::read_write : Access::write;
}

Result<Entry> entry_of(const Module& module, const EntryPoint& point, SaidEntry said) {
  Declarations all = std::move(said.bound);
  all.insert(all.end(), said.values.begin(), said.values.end());
  make_unique(all);
  std::vector<std::string> texts;
  for (const Declaration& one : all) texts.push_back(fmt::format("{}: {}", one.name, one.type));
  const auto entry =
      Entry::parse(fmt::format("{}({}) group {}", said.name, fmt::join(texts, ", "), text_of(said.group)));
  if (!entry) return not_told("has no signature: {}", entry.error().message());
  const DeclaredScalars scalars(*entry);
  for (std::size_t index = 0; index < said.values.size(); ++index) {
    if (scalars.places()[index].offset == said.values[index].offset) continue;
    return not_told("has {} at offset ({}) of its scalars, where no signature places it",
                    base::quote(said.values[index].name), said.values[index].offset);
  }
  KernelCode kernel;
  PINTLE_TRY(match_entry(no_limits, module, point, *entry, kernel));
  return *entry;
}

}  // namespace pintle::spirv
