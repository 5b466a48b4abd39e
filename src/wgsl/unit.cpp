#include "wgsl/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/file.h"
#include "wgsl/declarations.h"
#include "wgsl/layout.h"
#include "wgsl/touches.h"

namespace pintle::wgsl {
namespace {

using spirv::Binding;
using spirv::DescriptorKind;
using spirv::SpecConstant;

std::optional<std::uint32_t> number_in(const Declarations& all, const Attributes& attributes, std::string_view name) {
  const Attribute* const found = find(attributes, name);
  if (found == nullptr || found->arguments.empty()) return std::nullopt;
  const auto value = all.integer(found->arguments[0]);
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

/// The type that `override` has, written or by its value.
std::string_view type_of(const Named& constant) noexcept {
  if (constant.type) return constant.type->name;
  std::string_view value = constant.value;
  if (value.starts_with('-')) value.remove_prefix(1);
  if (value == "true" || value == "false") return "bool";
  if (value.ends_with('u')) return "u32";
  if (value.ends_with('h')) return "f16";
  const bool is_float = value.ends_with('f') || value.find_first_of(".e") != std::string_view::npos;
  return is_float && !value.starts_with("0x") ? "f32" : "i32";
}

SpecConstant constant_of(const Named& named, std::uint32_t id) {
  using enum SpecConstant::Kind;
  SpecConstant constant{std::string(named.name), id, integer, 32};
  const std::string_view type = type_of(named);
  if (type == "bool") constant = {constant.name, id, boolean, 1};
  if (type == "u32") constant.kind = unsigned_integer;
  if (type == "f32") constant.kind = floating;
  if (type == "f16") constant = {constant.name, id, floating, 16};
  return constant;
}

class Reading {
 public:
  explicit Reading(const Declarations& all) noexcept : all_(all) {}

  Unit make() {
    for (const Named& named : all_.overrides) {
      const auto id = static_cast<std::uint32_t>(unit_.keys.size());
      const auto given = number_in(all_, named.attributes, "id");
      unit_.keys.push_back(given ? std::to_string(*given) : std::string(named.name));
      unit_.module.constants.push_back(constant_of(named, id));
    }
    for (std::size_t index = 0; index < all_.variables.size(); ++index)
      add(all_.variables[index], static_cast<std::uint32_t>(index + 1));
    for (const Function& function : all_.functions) {
      if (find(function.attributes, "compute") != nullptr) add(function);
    }
    return std::move(unit_);
  }

 private:
  void add(const Variable& variable, std::uint32_t id) {
    const bool is_block = variable.space == "immediate" || variable.space == "push_constant";
    Binding binding{.id = id, .name = std::string(variable.name)};
    if (is_block || variable.space == "uniform" || variable.space == "storage") {
      const Layout layout = layout_of(all_, variable.type);
      binding.block = {layout.fields, layout.size};
      const bool is_number = layout.fields.size() == 1 && layout.fields[0].name.empty();
      if (is_number && variable.space != "storage") binding.block.fields[0].name = binding.name;
    }
    if (is_block) unit_.module.push_constants = binding;
    const auto number = number_in(all_, variable.attributes, "binding");
    if (!number) return;
    binding.binding = *number;
    binding.set = number_in(all_, variable.attributes, "group").value_or(0);
    describe(variable, binding);
    unit_.module.bindings.push_back(std::move(binding));
  }

  static void describe(const Variable& variable, Binding& binding) {
    if (variable.space == "storage") {
      binding.kind = DescriptorKind::storage_buffer;
      binding.what = "a storage buffer";
      binding.is_writable = variable.access == "read_write";
    } else if (variable.space == "uniform") {
      binding.kind = DescriptorKind::uniform_block;
      binding.what = "a uniform block";
      binding.is_writable = false;
    } else if (variable.type.name == "sampler") {
      binding.kind = DescriptorKind::sampler;
      binding.what = "a sampler";
    } else {
      binding.what = fmt::format("a {}", variable.type.name);
    }
  }

  void add(const Function& function) {
    spirv::EntryPoint entry;
    entry.name = function.name;
    entry.model = spirv::compute_model;
    entry.group_size = group_of(function);
    const Touched touched = touched_by(all_, function);
    for (std::size_t index = 0; index < all_.variables.size(); ++index) {
      const auto id = static_cast<std::uint32_t>(index + 1);
      const std::string_view name = all_.variables[index].name;
      if (touched.used.contains(name)) entry.used.push_back(id);
      if (touched.used.contains(name)) entry.interface.push_back(id);
      if (touched.read.contains(name)) entry.read.push_back(id);
      if (touched.written.contains(name)) entry.written.push_back(id);
      if (touched.escaped.contains(name)) entry.escaped.push_back(id);
    }
    unit_.module.entries.push_back(std::move(entry));
  }

  /// Empty where a side has to be computed.
  [[nodiscard]] std::optional<std::array<spirv::Dimension, 3>> group_of(const Function& function) const {
    const Attribute* const size = find(function.attributes, "workgroup_size");
    if (size == nullptr || size->arguments.empty() || size->arguments.size() > 3) return std::nullopt;
    std::array<spirv::Dimension, 3> group;
    group.fill({.value = 1, .spec_id = {}});
    for (std::size_t index = 0; index < size->arguments.size(); ++index) {
      const std::string_view text = size->arguments[index];
      const auto named = std::ranges::find(all_.overrides, text, &Named::name);
      const auto value = all_.integer(named == all_.overrides.end() ? text : named->value);
      if (!value && named == all_.overrides.end()) return std::nullopt;
      if (value && *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
      group[index].value = static_cast<std::uint32_t>(value.value_or(1));
      if (named != all_.overrides.end())
        group[index].spec_id = static_cast<std::uint32_t>(named - all_.overrides.begin());
    }
    return group;
  }

  const Declarations& all_;
  Unit unit_;
};

}  // namespace

Result<Unit> read_unit(std::string_view text) {
  PINTLE_ASSIGN(all, declarations_of(text));
  Unit unit = Reading(all).make();
  unit.module.code = base::bytes_in(text);
  unit.module.version = 0x00010500;  // an entry point lists what it uses
  return unit;
}

Result<std::string> with_writable_buffers(std::string_view text) {
  PINTLE_ASSIGN(all, declarations_of(text));
  std::string made;
  std::size_t done = 0;
  for (const Variable& variable : all.variables) {
    if (variable.space != "storage" || variable.access == "read_write") continue;
    const std::size_t end = *variable.behind_access;
    const std::size_t begin =
        variable.access.empty() ? end : static_cast<std::size_t>(variable.access.data() - text.data());
    made += text.substr(done, begin - done);
    made += variable.access.empty() ? ", read_write" : "read_write";
    done = end;
  }
  made += text.substr(done);
  return made;
}

}  // namespace pintle::wgsl
