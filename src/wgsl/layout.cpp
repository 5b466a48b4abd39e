#include "wgsl/layout.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace pintle::wgsl {
namespace {

using base::Number;

constexpr std::size_t most_fields = 4096;
constexpr int deepest = 64;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

std::optional<Number> number_of(std::string_view name) noexcept {
  struct Row {
    std::string_view name;
    Number number;
  };
  using enum Number::Kind;
  constexpr std::array rows{
      Row{"f32", {floating, 4}},         Row{"i32", {signed_integer, 4}}, Row{"u32", {unsigned_integer, 4}},
      Row{"f16", {floating, 2}},         Row{"f64", {floating, 8}},       Row{"i64", {signed_integer, 8}},
      Row{"u64", {unsigned_integer, 8}}, Row{"i16", {signed_integer, 2}}, Row{"u16", {unsigned_integer, 2}}};
  const auto* const found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? std::nullopt : std::optional(found->number);
}

/// The type of `vec3f`'s last letter.
std::string_view type_of_letter(char letter) noexcept {
  switch (letter) {
    case 'f': return "f32";
    case 'i': return "i32";
    case 'u': return "u32";
    case 'h': return "f16";
    default: return {};
  }
}

/// `vec3<f32>` and `vec3f`, `mat2x3<f32>` and `mat2x3f`.
struct Grid {
  std::uint64_t columns = 1;
  std::uint64_t rows = 1;
  std::string_view number;
};
std::optional<Grid> grid_of(const TypeName& type) noexcept {
  std::string_view name = type.name;
  Grid grid;
  const auto digit = [&](std::size_t at) { return at < name.size() ? static_cast<std::uint64_t>(name[at] - '0') : 0; };
  const auto is_side = [](std::uint64_t side) { return side >= 2 && side <= 4; };
  if (name.starts_with("vec") && is_side(digit(3))) {
    grid.rows = digit(3);
    name.remove_prefix(4);
  } else if (name.starts_with("mat") && name.size() >= 6 && is_side(digit(3)) && name[4] == 'x' && is_side(digit(5))) {
    grid.columns = digit(3);
    grid.rows = digit(5);
    name.remove_prefix(6);
  } else {
    return std::nullopt;
  }
  if (name.size() == 1) grid.number = type_of_letter(name[0]);
  else if (name.empty() && type.parts.size() == 1) grid.number = type.parts[0].name;
  return grid;
}

class Layouts {
 public:
  explicit Layouts(const Declarations& all) noexcept : all_(all) {}

  Layout of(const TypeName& type, int depth) {
    if (depth > deepest) return {};
    if (const auto number = number_of(type.name)) return {number->bytes, number->bytes, {{{}, 0, *number}}};
    if (const auto grid = grid_of(type)) return of_grid(*grid, depth);
    if (type.name == "atomic" && type.parts.size() == 1) return of(type.parts[0], depth + 1);
    if (type.name == "array" && !type.parts.empty()) return of_array(type, depth);
    if (const auto alias = all_.aliases.find(type.name); alias != all_.aliases.end())
      return of(alias->second, depth + 1);
    const auto found = all_.structs.find(type.name);
    if (found == all_.structs.end()) return {};
    if (const auto known = known_.find(found->first); known != known_.end()) return known->second;
    return known_.emplace(found->first, of_struct(found->second, depth)).first->second;
  }

 private:
  static void add(Layout& to, const Layout& part, std::uint64_t offset, std::string_view name) {
    for (const spirv::Field& field : part.fields) {
      if (to.fields.size() == most_fields) return;
      std::string path(name);
      if (!path.empty() && !field.name.empty()) path += '.';
      to.fields.push_back({path + field.name, offset + field.offset, field.number});
    }
  }

  Layout of_grid(const Grid& grid, int depth) {
    TypeName element{grid.number, {}};
    if (const auto alias = all_.aliases.find(grid.number); alias != all_.aliases.end()) element = alias->second;
    const Layout number = of(element, depth + 1);
    if (number.size == 0) return {};
    const std::uint64_t column = (grid.rows == 3 ? 4 : grid.rows) * number.size;
    Layout layout{(grid.columns - 1) * column + (grid.columns == 1 ? grid.rows * number.size : column), column, {}};
    for (std::uint64_t index = 0; index < grid.columns * grid.rows; ++index)
      add(layout, number, index / grid.rows * column + index % grid.rows * number.size, {});
    return layout;
  }

  Layout of_array(const TypeName& type, int depth) {
    const Layout element = of(type.parts[0], depth + 1);
    if (element.size == 0) return {};
    const std::uint64_t stride = round_up(element.size, element.alignment);
    std::uint64_t count = 1;  // an array without a size
    if (type.parts.size() > 1) {
      const auto size = all_.integer(type.parts[1].name);
      if (!size || *size == 0 || *size > ~std::uint32_t{0}) return {};
      count = *size;
    }
    const auto bytes = base::checked_mul(count, stride);
    if (!bytes) return {};
    Layout layout{*bytes, element.alignment, {}};
    for (std::uint64_t index = 0; index < count && layout.fields.size() < most_fields; ++index)
      add(layout, element, index * stride, {});
    return layout;
  }

  Layout of_struct(const std::vector<StructMember>& members, int depth) {
    Layout layout;
    for (const StructMember& member : members) {
      Layout part = of(member.type, depth + 1);
      if (part.size == 0) return {};
      const auto given = [&](std::string_view name, std::uint64_t otherwise) {
        const Attribute* const found = find(member.attributes, name);
        return found == nullptr || found->arguments.empty() ? otherwise
                                                            : all_.integer(found->arguments[0]).value_or(otherwise);
      };
      part.alignment = std::max<std::uint64_t>(given("align", part.alignment), 1);
      const std::uint64_t offset = round_up(layout.size, part.alignment);
      add(layout, part, offset, member.name);
      layout.size = offset + given("size", part.size);
      layout.alignment = std::max(layout.alignment, part.alignment);
    }
    layout.size = round_up(layout.size, layout.alignment);
    return layout;
  }

  const Declarations& all_;
  std::map<std::string_view, Layout> known_;  // structs
};

}  // namespace

Layout layout_of(const Declarations& all, const TypeName& type) { return Layouts(all).of(type, 0); }

}  // namespace pintle::wgsl
