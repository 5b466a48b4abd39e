#include "wgsl/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "spirv/descriptors.h"
#include "spirv/places.h"
#include "spirv/said_entry.h"

namespace pintle::wgsl {
namespace {

using spirv::Place;

constexpr std::size_t most_numbers = 64;

/// The numbers at `index` and behind it that are one vector: of one name and type, side by side.
std::size_t lanes_at(const std::vector<spirv::Field>& fields, std::size_t index) {
  constexpr std::size_t widest = 4;
  const spirv::Field& first = fields[index];
  std::size_t lanes = 1;
  while (lanes < widest && index + lanes < fields.size()) {
    const spirv::Field& next = fields[index + lanes];
    const bool continues = next.name == first.name && next.number == first.number &&
                           next.offset == first.offset + lanes * first.number.bytes;
    if (!continues) break;
    ++lanes;
  }
  return lanes;
}

/// Each number or vector of a block as a parameter. Empty where a signature cannot say one, and for a table.
std::optional<spirv::Declarations> values_of(const spirv::Block& block) {
  if (block.fields.size() > most_numbers) return std::nullopt;
  spirv::Declarations values;
  for (std::size_t index = 0; index < block.fields.size();) {
    const spirv::Field& field = block.fields[index];
    const auto dtype = base::dtype_of(field.number);
    if (!dtype) return std::nullopt;
    const std::size_t lanes = lanes_at(block.fields, index);
    std::string path = field.name;
    std::ranges::replace(path, '.', '_');
    const std::string type = lanes == 1 ? std::string(name(*dtype)) : fmt::format("{}x{}", name(*dtype), lanes);
    values.push_back({std::move(path), type, field.offset});
    index += lanes;
  }
  return values;
}

class Inference {
 public:
  Inference(const spirv::Module& module, const spirv::EntryPoint& entry) noexcept : module_(module), entry_(entry) {}

  Result<Entry> infer() const {
    PINTLE_ASSIGN(group, group_of_code());
    PINTLE_ASSIGN(places, spirv::find_places(module_, entry_, spirv::no_limits));
    const auto& immediates = module_.push_constants;
    const bool has_immediates = immediates && spirv::uses(module_, entry_, immediates->id);
    const auto last = std::ranges::find_if(places.rbegin(), places.rend(),
                                           [](const Place& place) { return spirv::is_uniform(place); });
    const Place* const block = has_immediates || last == places.rend() ? nullptr : &*last;
    const auto values = has_immediates     ? values_of(immediates->block)
                        : block != nullptr ? values_of(block->variables[0]->block)
                                           : std::nullopt;
    Result<Entry> made = spirv::not_told("has values that no signature can declare");
    if (values) made = with(places, block, *values, group);
    if (!made && !has_immediates) made = with(places, nullptr, {}, group);  // a table of many numbers is a buffer
    return made;
  }

 private:
  [[nodiscard]] Result<Entry> with(const std::vector<Place>& places, const Place* block,
                                   const spirv::Declarations& values,
                                   const std::vector<spirv::GroupSide>& group) const {
    spirv::Declarations bound;
    for (const Place& place : places) {
      if (&place == block) continue;
      if (place.at.kind != spirv::DescriptorKind::storage_buffer && !spirv::is_uniform(place))
        return Error(Errc::unsupported, fmt::format("binds {} at {}, which no device takes from WGSL",
                                                    place.variables[0]->what, text_of(place)));
      bound.push_back(
          {place.variables[0]->name, fmt::format("{} {}[]", name(access_of(entry_, place)), name(dtype_of(place)))});
    }
    return spirv::entry_of(module_, entry_, {entry_.name, std::move(bound), values, group});
  }

  /// A constant of the pipeline can be given another value at load.
  [[nodiscard]] Result<std::vector<spirv::GroupSide>> group_of_code() const {
    if (!entry_.group_size) return spirv::not_told("has a group size that has to be computed");
    std::vector<spirv::GroupSide> group;
    for (const spirv::Dimension& side : *entry_.group_size)
      group.push_back({side.value, side.spec_id ? module_.constants[*side.spec_id].name : std::string()});
    return group;
  }

  const spirv::Module& module_;
  const spirv::EntryPoint& entry_;
};

}  // namespace

Result<Entry> infer(const Unit& unit, const spirv::EntryPoint& entry) { return Inference(unit.module, entry).infer(); }

}  // namespace pintle::wgsl
