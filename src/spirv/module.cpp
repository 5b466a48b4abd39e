#include "spirv/module.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "spirv/fields.h"
#include "spirv/folding.h"
#include "spirv/image_tables.h"
#include "spirv/instruction.h"
#include "spirv/module_reader.h"
#include "spirv/tables.h"
#include "spirv/touches.h"

namespace pintle::spirv {
namespace {

/// What the host needs to know of a module, from the module's tables.
class Summary {
 public:
  Summary(const Tables& tables, std::size_t begin) : tables_(tables), begin_(begin) {}

  Result<Module> make() {
    module_.version = tables_.version;
    module_.capabilities = tables_.capabilities;
    module_.extensions = tables_.extensions;
    for (const TableEntry& entry : tables_.entries) {
      PINTLE_ASSIGN(size, group_size_of(entry.function));
      module_.entries.push_back(
          {entry.name, entry.model, size, entry.interface, touched_by(tables_, entry.function, &Body::written),
           touched_by(tables_, entry.function, &Body::read), touched_by(tables_, entry.function, &Body::used),
           touched_by(tables_, entry.function, &Body::escaped), combined_by(tables_, entry.function)});
    }
    for (const std::uint32_t variable : tables_.variables) add_variable(variable);
    for (const std::uint32_t constant : tables_.spec_constants) add_constant(constant);
    return std::move(module_);
  }

 private:
  /// Takes the built-in constant, or else the mode of the entry point.
  [[nodiscard]] Result<std::optional<std::array<Dimension, 3>>> group_size_of(std::uint32_t function) const {
    std::array<Dimension, 3> dimensions;
    const auto mode = tables_.modes.find(function);
    const Definition* const built_in = tables_.find(tables_.workgroup_size);
    if (built_in == nullptr && mode == tables_.modes.end()) return std::optional<std::array<Dimension, 3>>();
    if (built_in != nullptr && built_in->parts.size() != 3)
      return malformed(begin_, "has a WorkgroupSize that is not three constants");
    for (std::size_t index = 0; index < 3; ++index) {
      const bool is_literal = built_in == nullptr && !mode->second.has_ids;
      const std::uint32_t value = built_in != nullptr ? built_in->parts[index] : mode->second.sizes[index];
      if (is_literal) {
        dimensions[index].value = value;
        continue;
      }
      const Definition* const constant = tables_.find(value);
      if (constant == nullptr)
        return malformed(mode != tables_.modes.end() ? mode->second.at : begin_,
                         "has a group size that is no constant");
      dimensions[index].value = static_cast<std::uint32_t>(fold(tables_, value, {}).value_or(0));
      if (constant->op == op::spec_constant_op) dimensions[index].operation = value;
      if (const auto spec_id = tables_.decorated(value, no_member, decoration::spec_id))
        dimensions[index].spec_id = static_cast<std::uint32_t>(*spec_id);
    }
    return std::optional(dimensions);
  }

  void add_variable(std::uint32_t id) {
    const Definition& variable = *tables_.find(id);
    const Definition* const pointer = tables_.find(variable.type);
    std::uint32_t target = pointer != nullptr ? pointer->type : 0;
    if (variable.value == class_workgroup) module_.shared.push_back({id, target, packed_size(tables_, target, {})});
    const std::uint32_t count = count_of(target);
    const Definition* const type = tables_.find(target);
    const bool is_struct = type != nullptr && type->op == op::type_struct;
    if (variable.value == class_push_constant && is_struct)
      module_.push_constants = Binding{.id = id, .name = tables_.name_of(id), .block = block_of(tables_, target)};
    const auto binding = tables_.decorated(id, no_member, decoration::binding);
    if (!binding) return;
    Binding bound;
    bound.id = id;
    bound.name = tables_.name_of(id).empty() ? tables_.name_of(target) : tables_.name_of(id);
    bound.set = static_cast<std::uint32_t>(tables_.decorated(id, no_member, decoration::descriptor_set).value_or(0));
    bound.binding = static_cast<std::uint32_t>(*binding);
    bound.count = count;
    if (type != nullptr) describe(bound, target, *type);
    if (is_struct) {
      bound.block = block_of(tables_, target);
      bound.kind = kind_of(variable.value, target);
      bound.what = bound.kind == Binding::Kind::uniform_block ? "a uniform block" : "a storage buffer";
      bound.is_writable = !is_read_only(id, target, *type);
    }
    module_.bindings.push_back(std::move(bound));
  }

  /// The elements of an array of what the host binds; `type` becomes the element's.
  [[nodiscard]] std::uint32_t count_of(std::uint32_t& type) const {
    const Definition* const array = tables_.find(type);
    if (array == nullptr || (array->op != op::type_array && array->op != op::type_runtime_array)) return 1;
    type = array->type;
    if (array->op == op::type_runtime_array) return 0;
    return static_cast<std::uint32_t>(fold(tables_, array->parts[0], {}).value_or(0));
  }

  /// Says what an image, a texel buffer or a sampler is.
  void describe(Binding& bound, std::uint32_t id, const Definition& type) const {
    using enum Binding::Kind;
    bound.what = "an object that is no buffer";
    if (type.op == op::type_sampler) {
      bound.kind = sampler;
      bound.what = "a sampler";
    }
    if (type.op != op::type_image && type.op != op::type_sampled_image) return;
    const bool is_alone = type.op == op::type_image, is_stored = type.value == 2;
    bound.image = image_type_of(tables_, is_alone ? id : type.type);
    if (bound.image.dimensions == 1) {  // GLSL's samplerBuffer comes with a sampler that nothing uses
      bound.kind = is_stored ? stored_texels : fetched_texels;
      bound.what = is_stored ? "a storage texel buffer" : "a uniform texel buffer";
    } else {
      bound.kind = !is_alone ? combined : is_stored ? storage_image : sampled_image;
      bound.what = !is_alone ? "an image with a sampler" : is_stored ? "a storage image" : "a sampled image";
    }
    bound.is_writable = is_alone && is_stored && !tables_.decorated(bound.id, no_member, decoration::non_writable);
    bound.is_readable = !tables_.decorated(bound.id, no_member, decoration::non_readable);
    if (bound.image.dimensions != 0) return;
    bound.kind = other;
    bound.what += " " + bound.image.refused;
  }

  [[nodiscard]] Binding::Kind kind_of(std::uint32_t storage_class, std::uint32_t type) const {
    using enum Binding::Kind;
    if (storage_class == class_storage_buffer) return storage_buffer;
    if (storage_class != class_uniform) return other;
    return tables_.decorated(type, no_member, decoration::buffer_block) ? storage_buffer : uniform_block;
  }

  [[nodiscard]] bool is_read_only(std::uint32_t id, std::uint32_t type, const Definition& definition) const {
    if (tables_.decorated(id, no_member, decoration::non_writable)) return true;
    for (std::uint32_t index = 0; index < definition.parts.size(); ++index) {
      if (!tables_.decorated(type, index, decoration::non_writable)) return false;
    }
    return !definition.parts.empty();
  }

  void add_constant(std::uint32_t id) {
    using enum SpecConstant::Kind;
    const auto spec_id = tables_.decorated(id, no_member, decoration::spec_id);
    const Definition* const type = tables_.find(tables_.find(id)->type);
    if (!spec_id || type == nullptr) return;
    SpecConstant constant{tables_.name_of(id), static_cast<std::uint32_t>(*spec_id), integer, type->value};
    if (type->op == op::type_bool) constant.kind = boolean;
    else if (type->op == op::type_float) constant.kind = floating;
    else if (!type->is_signed) constant.kind = unsigned_integer;
    module_.constants.push_back(std::move(constant));
  }

  const Tables& tables_;
  const std::size_t begin_;
  Module module_;
};

Result<std::vector<Module>> read_all(std::span<const std::byte> code) {
  constexpr std::size_t word_size = sizeof(std::uint32_t);
  if (code.size() % word_size != 0)
    return malformed(code.size() / word_size, fmt::format("is truncated: ({}) bytes are no whole words", code.size()));
  std::vector<std::uint32_t> words(code.size() / word_size);
  for (std::size_t index = 0; index < words.size(); ++index)
    words[index] = base::load_little<std::uint32_t>(code, index * word_size).value_or(0);
  std::vector<Module> modules;
  std::size_t begin = 0;
  do {
    std::size_t end = 0;
    PINTLE_ASSIGN(read, read_module(words, begin, end));
    const auto tables = std::make_shared<const Tables>(std::move(read));
    PINTLE_ASSIGN(module, Summary(*tables, begin).make());
    module.tables = tables;
    module.code = code.subspan(begin * word_size, (end - begin) * word_size);
    modules.push_back(std::move(module));
    begin = end;
  } while (begin < words.size());
  return modules;
}

}  // namespace

Result<std::vector<Module>> read_modules(std::span<const std::byte> code) {
  return base::contain("reading SPIR-V", [&] { return read_all(code); });
}

}  // namespace pintle::spirv
