#include "spirv/pointers.h"

#include <algorithm>

namespace pintle::spirv {
namespace {

constexpr std::uint32_t op_undef = 1;
constexpr std::uint32_t op_constant_null = 46;
constexpr std::size_t most_links = 64;

bool is_value(std::uint32_t number) noexcept {
  return number == op_undef || number == op::variable ||
         (number >= op::constant_true && number <= op::spec_constant_op) || number == op_constant_null;
}

}  // namespace

Pointers::Pointers(const Tables& tables, const Listing& listing) : tables_(tables) {
  for (const Line& line : listing.globals) add_global(line);
  for (const Line& line : listing.functions) add_local(line);
}

void Pointers::add_global(const Line& line) {
  if (line.op == op::type_array) lengths_[line.at(0)] = line.at(2);
  if (is_value(line.op)) globals_[line.at(1)] = line.at(0);
}

/// An instruction of a function that begins with a type has a result.
void Pointers::add_local(const Line& line) {
  const Definition* const type = tables_.find(line.at(0));
  const bool has_result = type != nullptr && type->op < op::constant_true && line.operands.size() >= 2;
  if (!has_result) return;
  types_[line.at(1)] = line.at(0);
  if (line.op == op::copy_object) chains_[line.at(1)] = {line.at(2), {}};
  if (line.op == op::access_chain || line.op == op::in_bounds_access_chain)
    chains_[line.at(1)] = {line.at(2), {line.operands.begin() + 3, line.operands.end()}};
}

std::uint32_t Pointers::type_of(std::uint32_t id) const {
  const auto local = types_.find(id);
  if (local != types_.end()) return local->second;
  const auto global = globals_.find(id);
  return global == globals_.end() ? 0 : global->second;
}

std::optional<std::uint32_t> Pointers::class_of(std::uint32_t pointer) const {
  const Definition* const type = tables_.find(type_of(pointer));
  if (type == nullptr || type->op != op::type_pointer) return std::nullopt;
  return type->value;
}

std::optional<Path> Pointers::path_of(std::uint32_t pointer) const {
  Path path;
  std::size_t links = 0;  // those of a malformed module may go in a circle
  for (auto found = chains_.find(pointer); found != chains_.end(); found = chains_.find(pointer)) {
    const Chain& chain = found->second;
    path.indices.insert(path.indices.begin(), chain.indices.begin(), chain.indices.end());
    if (++links > most_links || path.indices.size() > most_links) return std::nullopt;
    pointer = chain.base;
  }
  const Definition* const variable = tables_.find(pointer);
  if (variable == nullptr || variable->op != op::variable) return std::nullopt;
  path.variable = pointer;
  return path;
}

bool Pointers::is_storage(std::uint32_t variable) const {
  const Definition* const definition = tables_.find(variable);
  if (definition == nullptr || definition->op != op::variable) return false;
  if (definition->value == class_storage_buffer) return true;
  const Definition* const pointer = tables_.find(definition->type);
  std::uint32_t type = pointer == nullptr ? 0 : pointer->type;
  for (const Definition* of = tables_.find(type);
       of != nullptr && (of->op == op::type_array || of->op == op::type_runtime_array); of = tables_.find(type))
    type = of->type;
  return definition->value == class_uniform && tables_.decorated(type, no_member, decoration::buffer_block);
}

/// Goes down the types of a block.
class Pointers::Walker {
 public:
  Walker(const Pointers& pointers, const Path& path) : pointers_(pointers), tables_(pointers.tables_), path_(path) {}

  std::optional<Walk> walk() {
    const Definition* const pointer = tables_.find(tables_.find(path_.variable)->type);
    type_ = pointer == nullptr ? 0 : pointer->type;
    for (std::size_t depth = 0; depth < path_.indices.size(); ++depth) {
      if (!go(depth)) return std::nullopt;
    }
    return std::move(walk_);
  }

 private:
  bool go(std::size_t depth) {
    const Definition* const of = tables_.find(type_);
    if (of == nullptr) return false;
    const std::uint32_t index = path_.indices[depth];
    switch (of->op) {
      case op::type_struct: return enter(*of, index, depth);
      case op::type_array:
      case op::type_runtime_array: return enter_array(*of, index);
      case op::type_vector: return enter_part(*of, index, matrix_part_ != 0 ? matrix_part_ : size_of(of->type));
      case op::type_matrix: return enter_matrix(*of, index);
      default: return false;
    }
  }

  [[nodiscard]] std::uint32_t size_of(std::uint32_t type) const {
    const Definition* const definition = tables_.find(type);
    return definition == nullptr ? 0 : static_cast<std::uint32_t>(definition->size);
  }

  bool enter(const Definition& of, std::uint32_t index, std::size_t depth) {
    const Definition* const number = tables_.find(index);
    if (number == nullptr || number->value >= of.parts.size()) return false;
    if (!struct_depth_) struct_depth_ = depth;  // arrays of descriptors come before
    owner_ = type_;
    member_ = number->value;
    walk_.offset += static_cast<std::uint32_t>(tables_.decorated(type_, member_, decoration::offset).value_or(0));
    type_ = of.parts[member_];
    return true;
  }

  bool enter_array(const Definition& of, std::uint32_t index) {
    const std::uint32_t type = std::exchange(type_, of.type);
    if (!struct_depth_) return true;
    const auto stride = static_cast<std::uint32_t>(
        tables_.decorated(type, no_member, decoration::array_stride).value_or(size_of(of.type)));
    if (of.op == op::type_runtime_array) {
      walk_.steps.push_back(
          {.index = index, .stride = stride, .is_endless = true, .member = member_, .depth = *struct_depth_});
      return true;
    }
    const auto length = pointers_.lengths_.find(type);
    if (is_constant(index)) walk_.offset += stride * tables_.find(index)->value;
    else if (length != pointers_.lengths_.end())
      walk_.steps.push_back({.index = index, .stride = stride, .length = length->second});
    return true;
  }

  bool enter_matrix(const Definition& of, std::uint32_t index) {
    const Definition* const column = tables_.find(of.type);
    if (column == nullptr) return false;
    const auto stride = static_cast<std::uint32_t>(
        tables_.decorated(owner_, member_, decoration::matrix_stride).value_or(column->size));
    const bool by_rows = tables_.decorated(owner_, member_, decoration::row_major).has_value();
    matrix_part_ = by_rows ? stride : 0;
    return enter_part(of, index, by_rows ? size_of(column->type) : stride);
  }

  bool enter_part(const Definition& of, std::uint32_t index, std::uint32_t stride) {
    type_ = of.type;
    if (is_constant(index)) walk_.offset += stride * tables_.find(index)->value;
    else walk_.steps.push_back({.index = index, .stride = stride, .count = of.value});
    return true;
  }

  [[nodiscard]] bool is_constant(std::uint32_t id) const {
    const Definition* const definition = tables_.find(id);
    return definition != nullptr && definition->op == op::constant;
  }

  const Pointers& pointers_;
  const Tables& tables_;
  const Path& path_;
  std::uint32_t type_ = 0;
  std::uint32_t owner_ = 0;  // the struct that was entered last, and the member
  std::uint32_t member_ = 0;
  std::uint32_t matrix_part_ = 0;  // bytes between the numbers of a column that lies across rows
  std::optional<std::size_t> struct_depth_;
  Walk walk_;
};

std::optional<Walk> Pointers::walk(const Path& path) const { return Walker(*this, path).walk(); }

}  // namespace pintle::spirv
