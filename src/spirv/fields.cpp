#include "spirv/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "spirv/folding.h"

namespace pintle::spirv {
namespace {

constexpr std::size_t most_fields = 4096;
// A malformed module may have a struct within itself, or types without a number that multiply.
constexpr unsigned most_levels = 16;
constexpr std::size_t most_steps = 100'000;

/// How far apart the elements of an array or the columns of a matrix lie.
struct Steps {
  std::uint64_t count = 0;
  std::uint64_t stride = 0;
};

class Flattening {
 public:
  explicit Flattening(const Tables& tables) : tables_(tables) {}

  void add_struct(std::uint32_t type, const Definition& definition, const std::string& path, std::uint64_t offset,
                  unsigned level) {
    for (std::uint32_t index = 0; index < definition.parts.size(); ++index) {
      const auto name = tables_.member_names.find({type, index});
      const std::string own = name == tables_.member_names.end() ? std::string() : name->second;
      const std::uint64_t at = offset + tables_.decorated(type, index, decoration::offset).value_or(0);
      const std::string whole = path.empty() ? own : fmt::format("{}.{}", path, own);
      member_ = {type, index};
      add(definition.parts[index], whole, at, level + 1);
    }
  }

  /// By offset.
  [[nodiscard]] std::vector<Field> take() {
    std::ranges::sort(fields_, {}, &Field::offset);
    return std::move(fields_);
  }

 private:
  void add(std::uint32_t type, const std::string& path, std::uint64_t offset, unsigned level) {
    const Definition* const definition = tables_.find(type);
    if (definition == nullptr || level > most_levels || is_full()) return;
    using enum base::Number::Kind;
    const auto bytes = static_cast<std::uint32_t>(definition->size);
    switch (definition->op) {
      case op::type_int:
        return add_number(path, offset, {definition->is_signed ? signed_integer : unsigned_integer, bytes});
      case op::type_float: return add_number(path, offset, {floating, bytes});
      case op::type_bool: return add_number(path, offset, {unsigned_integer, 4});
      case op::type_pointer: return add_number(path, offset, {unsigned_integer, 8});
      case op::type_vector: return add_all(definition->type, packed(*definition), path, offset, level);
      case op::type_matrix: return add_matrix(*definition, path, offset, level);
      case op::type_array:
      case op::type_runtime_array: return add_all(definition->type, steps_of(type, *definition), path, offset, level);
      case op::type_struct: return add_struct(type, *definition, path, offset, level);
      default: return;
    }
  }

  [[nodiscard]] bool is_full() { return fields_.size() >= most_fields || ++steps_ > most_steps; }

  void add_number(const std::string& path, std::uint64_t offset, base::Number number) {
    fields_.push_back({path, offset, number});
  }

  void add_all(std::uint32_t element, Steps steps, const std::string& path, std::uint64_t offset, unsigned level) {
    for (std::uint64_t index = 0; index < steps.count && !is_full(); ++index)
      add(element, path, offset + index * steps.stride, level + 1);
  }

  /// The stride and the order of a matrix are decorations of the member that it is, or whose arrays it is in.
  void add_matrix(const Definition& matrix, const std::string& path, std::uint64_t offset, unsigned level) {
    const auto [owner, member] = member_;
    const Definition* const column = tables_.find(matrix.type);
    if (column == nullptr) return;
    const Definition* const number = tables_.find(column->type);
    if (number == nullptr) return;
    const std::uint64_t stride = tables_.decorated(owner, member, decoration::matrix_stride).value_or(column->size);
    const bool by_rows = tables_.decorated(owner, member, decoration::row_major).has_value();
    const std::uint64_t lines = by_rows ? column->value : matrix.value;
    const Steps within{by_rows ? matrix.value : column->value, number->size};
    for (std::uint64_t line = 0; line < lines; ++line)
      add_all(column->type, within, path, offset + line * stride, level);
  }

  [[nodiscard]] Steps packed(const Definition& vector) const {
    const Definition* const part = tables_.find(vector.type);
    return {vector.value, part == nullptr ? 0 : part->size};
  }

  [[nodiscard]] Steps steps_of(std::uint32_t type, const Definition& array) const {
    const Definition* const part = tables_.find(array.type);
    const auto stride = tables_.decorated(type, no_member, decoration::array_stride);
    const std::uint64_t step = stride ? *stride : part == nullptr ? 0 : part->size;
    if (array.op == op::type_runtime_array) return {1, step};
    return {static_cast<std::uint64_t>(fold(tables_, array.parts[0], {}).value_or(0)), step};
  }

  const Tables& tables_;
  std::pair<std::uint32_t, std::uint32_t> member_{};  // a struct and the number of its member that was met last
  std::size_t steps_ = 0;
  std::vector<Field> fields_;
};

struct Packed {
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
};

/// Sizes that do not fit 64 bits are the largest there is.
class Packing {
 public:
  Packing(const Tables& tables, const Specialization& specialization)
      : tables_(tables), specialization_(specialization) {}

  Packed pack(std::uint32_t type, unsigned level) {
    const Definition* const definition = tables_.find(type);
    if (definition == nullptr || level > most_levels || ++steps_ > most_steps) return {};
    if (definition->op == op::type_struct) return pack_struct(*definition, level);
    const bool is_many =
        definition->op == op::type_vector || definition->op == op::type_matrix || definition->op == op::type_array;
    if (!is_many) return {definition->size, std::max<std::uint64_t>(definition->size, 1)};
    const Packed part = pack(definition->type, level + 1);
    return {times(aligned(part.size, part.alignment), count_of(*definition)), part.alignment};
  }

  [[nodiscard]] bool is_known() const noexcept { return is_known_; }

 private:
  static constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

  static std::uint64_t times(std::uint64_t a, std::uint64_t b) { return base::checked_mul(a, b).value_or(most); }
  static std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return base::checked_add(a, b).value_or(most); }
  static std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
    return value % alignment == 0 ? value : plus(value, alignment - value % alignment);
  }

  std::uint64_t count_of(const Definition& many) {
    if (many.op != op::type_array) return many.value;
    const auto length = fold(tables_, many.parts[0], specialization_);
    is_known_ &= length.has_value();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(length.value_or(0), 0));
  }

  Packed pack_struct(const Definition& definition, unsigned level) {
    Packed all;
    for (const std::uint32_t member : definition.parts) {
      const Packed part = pack(member, level + 1);
      all.size = plus(aligned(all.size, part.alignment), part.size);
      all.alignment = std::max(all.alignment, part.alignment);
    }
    return {aligned(all.size, all.alignment), all.alignment};
  }

  const Tables& tables_;
  const Specialization& specialization_;
  bool is_known_ = true;
  std::size_t steps_ = 0;
};

}  // namespace

Block block_of(const Tables& tables, std::uint32_t type) {
  const Definition* const definition = tables.find(type);
  if (definition == nullptr) return {};
  Flattening flattening(tables);
  flattening.add_struct(type, *definition, {}, 0, 0);
  return {flattening.take(), definition->size};
}

std::optional<std::uint64_t> packed_size(const Tables& tables, std::uint32_t type,
                                         const Specialization& specialization) {
  Packing packing(tables, specialization);
  const std::uint64_t size = packing.pack(type, 0).size;
  return packing.is_known() ? std::optional(size) : std::nullopt;
}

}  // namespace pintle::spirv
