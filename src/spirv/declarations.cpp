#include "spirv/declarations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "base/number.h"
#include "base/quote.h"
#include "pintle/entry.h"
#include "spirv/folding.h"

namespace pintle::spirv {
namespace {

constexpr std::size_t most_members = 64;
// A malformed module may have a struct within itself, or types without a number that multiply.
constexpr unsigned most_levels = 16;
constexpr std::size_t most_steps = 4096;

std::string member_name(const Tables& tables, std::uint32_t owner, std::uint32_t member) {
  const auto found = tables.member_names.find({owner, member});
  return found == tables.member_names.end() || found->second.empty() ? fmt::format("m{}", member) : found->second;
}

std::string joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}_{}", path, name);
}

/// The dtype of a number; an address is a number of eight bytes.
std::optional<DType> dtype_of(const Definition& number) {
  using enum base::Number::Kind;
  const auto bytes = static_cast<std::uint32_t>(number.size);
  switch (number.op) {
    case op::type_int: return base::dtype_of({number.is_signed ? signed_integer : unsigned_integer, bytes});
    case op::type_float: return base::dtype_of({floating, bytes});
    case op::type_bool: return DType::u32;
    case op::type_pointer: return DType::u64;
    default: return std::nullopt;
  }
}

/// The dtype of a number or of a vector's numbers, and how many there are.
struct Run {
  DType dtype = DType::f32;
  std::uint32_t lanes = 1;
};

std::optional<Run> run_of(const Tables& tables, const Definition& type) {
  const bool is_vector = type.op == op::type_vector;
  const Definition* const number = is_vector ? tables.find(type.type) : &type;
  const auto dtype = number == nullptr ? std::nullopt : dtype_of(*number);
  if (!dtype) return std::nullopt;
  return Run{*dtype, is_vector ? type.value : 1};
}

std::string text_of(DType dtype, std::uint32_t lanes) {
  return lanes == 1 ? std::string(name(dtype)) : fmt::format("{}x{}", name(dtype), lanes);
}

/// Takes a type apart into numbers and vectors, each with its offset and the path to it as its name.
class Members {
 public:
  explicit Members(const Tables& tables) : tables_(tables) {}

  void add_struct(std::uint32_t type, const std::string& path, std::uint64_t offset, unsigned level) {
    const Definition* const owner = tables_.find(type);
    if (owner == nullptr) return refuse();
    for (std::uint32_t member = 0; member < owner->parts.size() && is_whole_; ++member)
      add_member(type, member, joined(path, member_name(tables_, type, member)), offset, level);
  }

  /// The offset of the member is added to `offset`.
  void add_member(std::uint32_t owner, std::uint32_t member, const std::string& path, std::uint64_t offset,
                  unsigned level) {
    const std::uint32_t type = tables_.find(owner)->parts[member];
    const std::uint64_t at = offset + tables_.decorated(owner, member, decoration::offset).value_or(0);
    member_ = {owner, member};
    add(type, path, at, level + 1);
  }

  /// Empty where a signature cannot say all of them.
  [[nodiscard]] std::optional<std::string> text() const {
    if (!is_whole_ || texts_.empty()) return std::nullopt;
    return fmt::format("{{ {} }}", fmt::join(texts_, ", "));
  }

 private:
  void add(std::uint32_t type, const std::string& path, std::uint64_t offset, unsigned level) {
    const Definition* const part = tables_.find(type);
    if (part == nullptr || level > most_levels || ++steps_ > most_steps) return refuse();
    if (const auto run = run_of(tables_, *part)) return add_run(*run, path, offset);
    if (part->op == op::type_struct) return add_struct(type, path, offset, level);
    if (part->op == op::type_matrix) return add_matrix(*part, path, offset);
    if (part->op != op::type_array) return refuse();
    const std::int64_t count = fold(tables_, part->parts[0], {}).value_or(0);
    const auto stride = tables_.decorated(type, no_member, decoration::array_stride);
    if (count <= 0 || !stride) return refuse();
    for (std::int64_t index = 0; index < count && is_whole_; ++index)
      add(part->type, joined(path, fmt::to_string(index)), offset + static_cast<std::uint64_t>(index) * *stride,
          level + 1);
  }

  /// The lines of a matrix, which are its columns or its rows. Its stride and its order are decorations of the member
  /// that it is, or whose arrays it is in.
  void add_matrix(const Definition& matrix, const std::string& path, std::uint64_t offset) {
    const auto [owner, member] = member_;
    const Definition* const column = tables_.find(matrix.type);
    const auto stride = tables_.decorated(owner, member, decoration::matrix_stride);
    const auto run = column == nullptr ? std::nullopt : run_of(tables_, *column);
    if (!run || !stride) return refuse();
    const bool by_rows = tables_.decorated(owner, member, decoration::row_major).has_value();
    const std::uint32_t lines = by_rows ? run->lanes : matrix.value;
    const std::uint32_t lanes = by_rows ? matrix.value : run->lanes;
    for (std::uint32_t line = 0; line < lines && is_whole_; ++line)
      add_run({run->dtype, lanes}, joined(path, fmt::to_string(line)), offset + line * *stride);
  }

  void add_run(Run run, const std::string& path, std::uint64_t offset) {
    if (texts_.size() == most_members) return refuse();
    const std::string name = base::is_identifier(path) ? path : fmt::format("m{}", texts_.size());
    texts_.push_back(fmt::format("{}: {} at {}", name, text_of(run.dtype, run.lanes), offset));
  }

  void refuse() { is_whole_ = false; }

  const Tables& tables_;
  std::pair<std::uint32_t, std::uint32_t> member_{};  // a struct and the number of its member that was met last
  std::vector<std::string> texts_;
  std::size_t steps_ = 0;
  bool is_whole_ = true;
};

/// A number or a vector by itself; anything else as a struct.
std::optional<Declaration> member_of(const Tables& tables, std::uint32_t block, std::uint32_t member) {
  const std::uint32_t type = tables.find(block)->parts[member];
  const Definition* const part = tables.find(type);
  if (part == nullptr) return std::nullopt;
  const std::uint64_t offset = tables.decorated(block, member, decoration::offset).value_or(0);
  const std::string name = member_name(tables, block, member);
  if (const auto run = run_of(tables, *part)) return Declaration{name, text_of(run->dtype, run->lanes), offset};
  Members members(tables);
  if (part->op == op::type_struct) members.add_struct(type, {}, 0, 0);
  else members.add_member(block, member, name, 0 - offset, 0);
  const auto text = members.text();
  return text ? std::optional(Declaration{name, *text, offset}) : std::nullopt;
}

std::optional<Declarations> one_by_one(const Tables& tables, std::uint32_t block) {
  const std::size_t count = tables.find(block)->parts.size();
  if (count > most_members) return std::nullopt;
  Declarations all;
  for (std::uint32_t member = 0; member < count; ++member) {
    auto one = member_of(tables, block, member);
    if (!one) return std::nullopt;
    all.push_back(*std::move(one));
  }
  return all;
}

}  // namespace

std::vector<Declarations> ways_to_declare(const Tables& tables, std::uint32_t block, std::string_view name) {
  std::vector<Declarations> ways;
  const Definition* const type = tables.find(block);
  if (type == nullptr || type->op != op::type_struct) return ways;
  if (auto members = one_by_one(tables, block)) ways.push_back(*std::move(members));
  Members all(tables);
  all.add_struct(block, {}, 0, 0);
  if (auto text = all.text()) ways.push_back({{std::string(name), *std::move(text), 0}});
  return ways;
}

}  // namespace pintle::spirv
