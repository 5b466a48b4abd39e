#include "spirv/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "spirv/declarations.h"
#include "spirv/descriptors.h"
#include "spirv/folding.h"
#include "spirv/places.h"
#include "spirv/said_entry.h"

namespace pintle::spirv {
namespace {

class Inference {
 public:
  Inference(const Module& module, const EntryPoint& entry, std::string_view name)
      : module_(module), tables_(*module.tables), entry_(entry), name_(name) {}

  Result<Entry> infer() {
    if (!base::is_identifier(name_)) return not_told("has a name that no signature can have");
    PINTLE_ASSIGN(group, group_of_code());
    PINTLE_ASSIGN(places, find_places(module_, entry_, no_limits));
    Result<Entry> last = not_told("has nothing that a signature can say");
    for (const Way& way : ways(places)) {
      last = entry_of(module_, entry_, {std::string(name_), bound(places, way), way.values, group});
      if (last) break;
    }
    return last;
  }

 private:
  /// How the entry's scalars are declared.
  struct Way {
    Declarations values;
    const Place* block = nullptr;  // the uniform block that they come in, which then is no buffer
  };

  [[nodiscard]] std::vector<Way> ways(const std::vector<Place>& places) const {
    const auto& push = module_.push_constants;
    if (push && uses(module_, entry_, push->id)) return pushed(*push);
    std::vector<Way> found;
    const auto uniform = std::ranges::find_if(
        places.rbegin(), places.rend(), [](const Place& place) { return is_uniform(place) && !place.is_element; });
    if (uniform != places.rend()) {
      for (Declarations& values : declare(*uniform->variables[0])) found.push_back({std::move(values), &*uniform});
    }
    found.push_back({});  // a table of many numbers is a buffer
    return found;
  }

  [[nodiscard]] std::vector<Way> pushed(const Binding& block) const {
    std::vector<Way> found;
    for (Declarations& values : declare(block)) found.push_back({std::move(values)});
    found.push_back({{{block_name(block), fmt::format("bytes[{}]", block.block.size), 0}}});
    return found;
  }

  [[nodiscard]] std::vector<Declarations> declare(const Binding& block) const {
    return ways_to_declare(tables_, struct_of(block), block_name(block));
  }

  /// The struct that a variable, or an element of it, is.
  [[nodiscard]] std::uint32_t struct_of(const Binding& variable) const {
    const auto target_of = [&](std::uint32_t id) {
      const Definition* const definition = tables_.find(id);
      return definition == nullptr ? 0 : definition->type;
    };
    const std::uint32_t target = target_of(target_of(variable.id));
    const Definition* const type = tables_.find(target);
    const bool is_array = type != nullptr && (type->op == op::type_array || type->op == op::type_runtime_array);
    return is_array ? type->type : target;
  }

  [[nodiscard]] std::string block_name(const Binding& block) const {
    return block.name.empty() ? tables_.name_of(struct_of(block)) : block.name;
  }

  /// A buffer goes by its variable's name. Where that has none, it goes by the name of its block's only member, which
  /// is what the source calls it, or else by that of the block.
  [[nodiscard]] std::string name_of(const Place& place) const {
    const Binding& variable = *place.variables[0];
    std::string name = tables_.name_of(variable.id);
    const std::uint32_t type = struct_of(variable);
    const Definition* const block = tables_.find(type);
    const auto member = tables_.member_names.find({type, 0});
    if (name.empty() && block != nullptr && block->parts.size() == 1 && member != tables_.member_names.end())
      name = member->second;
    if (name.empty()) name = variable.name;
    return place.is_element && !name.empty() ? fmt::format("{}_{}", name, place.at.element) : name;
  }

  [[nodiscard]] std::string type_of(const Place& place) const {
    const ImageType& image = place.variables[0]->image;
    const auto access = name(access_of(entry_, place));
    switch (place.at.kind) {
      case DescriptorKind::sampler: return "sampler";
      case DescriptorKind::combined: return fmt::format("read image{}d sampled", image.dimensions);
      case DescriptorKind::sampled_image: return fmt::format("read image{}d", image.dimensions);
      case DescriptorKind::storage_image:
      case DescriptorKind::fetched_texels:
      case DescriptorKind::stored_texels:
        return fmt::format("{} {}{}{}", access, shape_text(image), image.texel ? " " : "",
                           image.texel ? pintle::name(*image.texel) : "");
      default: return fmt::format("{} {}[]", access, name(dtype_of(place)));
    }
  }

  [[nodiscard]] Declarations bound(const std::vector<Place>& places, const Way& way) const {
    Declarations all;
    for (const Place& place : places) {
      if (&place != way.block) all.push_back({name_of(place), type_of(place)});
    }
    return all;
  }

  /// A specialisation constant that has a name can be given another value at load.
  [[nodiscard]] Result<std::vector<GroupSide>> group_of_code() const {
    if (!entry_.group_size) return not_told("has no group size");
    std::vector<GroupSide> sides;
    for (const Dimension& dimension : *entry_.group_size) {
      PINTLE_ASSIGN(side, side_of(dimension));
      sides.push_back(std::move(side));
    }
    return sides;
  }

  [[nodiscard]] Result<GroupSide> side_of(const Dimension& dimension) const {
    GroupSide side{dimension.value};
    if (dimension.operation != 0) {
      const auto size = fold(tables_, dimension.operation, {});
      if (!size) return not_told("has a group size by an operation on constants that is not known here");
      side.size = static_cast<std::uint32_t>(*size);
    }
    if (dimension.spec_id) take_constant(*dimension.spec_id, side);
    if (side.size == 0) return not_told("has a group size of 0 before it is loaded");
    return side;
  }

  /// The constant of that number that has a name. GLSL makes another one for `local_size_x_id`, whose own default
  /// nothing in the source says.
  void take_constant(std::uint32_t spec_id, GroupSide& side) const {
    for (const std::uint32_t constant : tables_.spec_constants) {
      const std::string name = tables_.name_of(constant);
      if (tables_.decorated(constant, no_member, decoration::spec_id) != spec_id || !base::is_identifier(name))
        continue;
      side = {static_cast<std::uint32_t>(fold(tables_, constant, {}).value_or(0)), name};
      return;
    }
  }

  const Module& module_;
  const Tables& tables_;
  const EntryPoint& entry_;
  const std::string_view name_;
};

}  // namespace

Result<Entry> infer(const Module& module, const EntryPoint& entry, std::string_view name) {
  return Inference(module, entry, name).infer();
}

}  // namespace pintle::spirv
