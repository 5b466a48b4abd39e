#include "spirv/tables.h"

namespace pintle::spirv {

const Definition* Tables::find(std::uint32_t id) const {
  const auto found = definitions.find(id);
  return found == definitions.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> Tables::decorated(std::uint32_t target, std::uint32_t member,
                                               std::uint32_t decoration) const {
  const auto found = decorations.find({target, member, decoration});
  if (found == decorations.end()) return std::nullopt;
  return found->second;
}

std::string Tables::name_of(std::uint32_t id) const {
  const auto found = names.find(id);
  return found == names.end() ? std::string() : found->second;
}

std::uint64_t Tables::member_size(std::uint32_t owner, std::uint32_t member, std::uint32_t type) const {
  const Definition* const definition = find(type);
  if (definition == nullptr) return 0;
  const auto stride = decorated(owner, member, decoration::matrix_stride);
  if (definition->op != op::type_matrix || !stride) return definition->size;
  const Definition* const column = find(definition->type);
  const bool by_rows = decorated(owner, member, decoration::row_major).has_value() && column != nullptr;
  return *stride * (by_rows ? column->value : definition->value);
}

}  // namespace pintle::spirv
