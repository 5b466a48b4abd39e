#include "kit/spirv.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/bytes.h"
#include "base/contain.h"

namespace pintle::kit {
namespace {

// The numbers of the specification, by its names.
namespace op {
enum : std::uint32_t {
  name = 5,
  member_name = 6,
  entry_point = 15,
  execution_mode = 16,
  capability = 17,
  type_bool = 20,
  type_int = 21,
  type_float = 22,
  type_vector = 23,
  type_matrix = 24,
  type_array = 28,
  type_runtime_array = 29,
  type_struct = 30,
  type_pointer = 32,
  constant_true = 41,
  constant_false = 42,
  constant = 43,
  constant_composite = 44,
  spec_constant_true = 48,
  spec_constant_false = 49,
  spec_constant = 50,
  spec_constant_composite = 51,
  spec_constant_op = 52,
  function = 54,
  function_end = 56,
  function_call = 57,
  variable = 59,
  decorate = 71,
  member_decorate = 72,
  execution_mode_id = 331,
};
}  // namespace op
namespace decoration {
enum : std::uint32_t {
  spec_id = 1,
  block = 2,
  buffer_block = 3,
  row_major = 4,
  array_stride = 6,
  matrix_stride = 7,
  built_in = 11,
  non_writable = 24,
  binding = 33,
  descriptor_set = 34,
  offset = 35,
};
}  // namespace decoration
constexpr std::uint32_t magic = 0x07230203;
constexpr std::uint32_t header_words = 5;
constexpr std::uint32_t most_ids = 0x3fffff;  // the specification's universal limit
constexpr std::uint32_t mode_local_size = 17;
constexpr std::uint32_t mode_local_size_id = 38;
constexpr std::uint32_t built_in_workgroup_size = 25;
constexpr std::uint32_t class_uniform = 2;
constexpr std::uint32_t class_push_constant = 9;
constexpr std::uint32_t class_storage_buffer = 12;

/// A type or constant, as far as it matters here.
struct Definition {
  std::uint32_t op = 0;
  std::uint32_t type = 0;   // of a constant or variable; of a pointer, array, vector or matrix what it is made of
  std::uint32_t value = 0;  // of a constant: the low word; of a type: bits or count; of a variable: the storage class
  bool is_signed = false;
  std::uint64_t size = 0;              // of a type: bytes; 0 for an array without an end
  std::vector<std::uint32_t> parts{};  // members of a struct, constituents of a composite
};

using Words = std::vector<std::uint32_t>;

/// One instruction: its place and its words, without the first.
struct Instruction {
  std::size_t at = 0;
  std::uint32_t op = 0;
  std::span<const std::uint32_t> operands;
};

Error malformed(std::size_t word, std::string_view what) {
  return {Errc::invalid_argument, fmt::format("SPIR-V at word ({}) {}.", word, what)};
}

class ModuleReader {
 public:
  ModuleReader(std::span<const std::uint32_t> words, std::size_t begin) : words_(words), begin_(begin) {}

  /// The module that begins at `begin`; `end` becomes the word behind it.
  Result<SpirvModule> read(std::size_t& end) {
    PINTLE_TRY(read_header());
    std::size_t at = begin_ + header_words;
    while (at < words_.size() && words_[at] != magic) {
      const std::size_t count = words_[at] >> 16;
      if (count == 0) return malformed(at, "has an instruction of no words");
      if (count > words_.size() - at)
        return malformed(at,
                         fmt::format("is truncated: an instruction of ({}) words has ({})", count, words_.size() - at));
      PINTLE_TRY(read_one({at, words_[at] & 0xffff, words_.subspan(at + 1, count - 1)}));
      at += count;
    }
    end = at;
    PINTLE_TRY(check_complete(at));
    PINTLE_TRY(finish());
    return std::move(module_);
  }

 private:
  Result<void> read_header() {
    if (words_.size() - begin_ < header_words) return malformed(words_.size(), "is truncated: the header has 5 words");
    if (words_[begin_] != magic)
      return malformed(begin_, fmt::format("is ({:#010x}), not the magic number", words_[begin_]));
    module_.version = words_[begin_ + 1];
    const std::uint32_t major = module_.version >> 16;
    if (major != 1 || (module_.version & 0xff0000ff) != 0)
      return malformed(begin_ + 1, fmt::format("has version ({:#010x}), which is not 1.x", module_.version));
    bound_ = words_[begin_ + 3];
    if (bound_ == 0 || bound_ > most_ids)
      return malformed(begin_ + 3, fmt::format("has an id bound ({}) outside of 1 to ({})", bound_, most_ids));
    if (words_[begin_ + 4] != 0) return malformed(begin_ + 4, "has a schema, which is not known");
    return {};
  }

  Result<void> read_one(const Instruction& it) {
    switch (it.op) {
      case op::capability: return read_capability(it);
      case op::entry_point: return read_entry(it);
      case op::execution_mode:
      case op::execution_mode_id: return read_mode(it);
      case op::name:
      case op::member_name: return read_name(it);
      case op::decorate:
      case op::member_decorate: return read_decoration(it);
      case op::function:
      case op::function_end:
      case op::function_call: return read_function(it);
      case op::variable: return is_in_function_ ? Result<void>() : read_variable(it);
      default: return it.op >= op::type_bool && it.op <= op::spec_constant_op ? read_definition(it) : Result<void>();
    }
  }

  // What an instruction must have.
  static Result<void> need(const Instruction& it, std::size_t count) {
    if (it.operands.size() >= count) return {};
    return malformed(it.at, fmt::format("has an instruction ({}) of ({}) operands, which needs ({})", it.op,
                                        it.operands.size(), count));
  }
  Result<std::uint32_t> id(const Instruction& it, std::size_t index) const {
    PINTLE_TRY(need(it, index + 1));
    const std::uint32_t value = it.operands[index];
    if (value != 0 && value < bound_) return value;
    return malformed(it.at + 1 + index, fmt::format("has id ({}), which is not below the bound ({})", value, bound_));
  }
  /// What is defined under the id, of a type that has a size.
  Result<const Definition*> defined(const Instruction& it, std::size_t index) const {
    PINTLE_ASSIGN(wanted, id(it, index));
    const auto found = definitions_.find(wanted);
    if (found != definitions_.end()) return &found->second;
    return malformed(it.at + 1 + index, fmt::format("uses id ({}) before it is defined", wanted));
  }
  /// The text that begins at an operand; `next` becomes the index behind it.
  static Result<std::string> text(const Instruction& it, std::size_t index, std::size_t& next) {
    std::string text;
    for (std::size_t word = index; word < it.operands.size(); ++word) {
      for (std::uint32_t shift = 0; shift < 32; shift += 8) {
        const char letter = static_cast<char>(it.operands[word] >> shift & 0xff);
        next = word + 1;
        if (letter == '\0') return text;
        text += letter;
      }
    }
    return malformed(it.at, "has a text without an end");
  }

  Result<void> read_capability(const Instruction& it) {
    PINTLE_TRY(need(it, 1));
    module_.capabilities.push_back(it.operands[0]);
    return {};
  }

  Result<void> read_entry(const Instruction& it) {
    PINTLE_ASSIGN(function, id(it, 1));
    SpirvEntry entry;
    entry.model = it.operands[0];
    std::size_t next = 0;
    PINTLE_ASSIGN(name, text(it, 2, next));
    entry.name = name;
    for (; next < it.operands.size(); ++next) {
      PINTLE_ASSIGN(variable, id(it, next));
      entry.interface.push_back(variable);
    }
    entry_functions_.push_back(function);
    called_.emplace(function, it.at);
    module_.entries.push_back(std::move(entry));
    return {};
  }

  Result<void> read_mode(const Instruction& it) {
    PINTLE_ASSIGN(function, id(it, 0));
    PINTLE_TRY(need(it, 2));
    const std::uint32_t mode = it.operands[1];
    if (mode != mode_local_size && mode != mode_local_size_id) return {};
    PINTLE_TRY(need(it, 5));
    Mode& of = modes_[function];
    of.at = it.at;
    of.has_ids = mode == mode_local_size_id;
    std::copy_n(it.operands.begin() + 2, 3, of.sizes.begin());
    return {};
  }

  Result<void> read_name(const Instruction& it) {
    PINTLE_ASSIGN(target, id(it, 0));
    std::size_t next = 0;
    const bool is_member = it.op == op::member_name;
    if (is_member) PINTLE_TRY(need(it, 2));
    PINTLE_ASSIGN(name, text(it, is_member ? 2 : 1, next));
    if (is_member) member_names_[{target, it.operands[1]}] = name;
    else names_[target] = name;
    return {};
  }

  Result<void> read_decoration(const Instruction& it) {
    PINTLE_ASSIGN(target, id(it, 0));
    const std::size_t first = it.op == op::member_decorate ? 1 : 0;
    PINTLE_TRY(need(it, first + 2));
    const std::uint32_t member = first == 1 ? it.operands[1] : no_member;
    const std::uint32_t value = it.operands.size() > first + 2 ? it.operands[first + 2] : 0;
    decorations_[{target, member, it.operands[first + 1]}] = value;
    return {};
  }

  Result<void> read_function(const Instruction& it) {
    if (it.op == op::function_call) {
      PINTLE_ASSIGN(callee, id(it, 2));
      called_.emplace(callee, it.at);
      return {};
    }
    const bool begins = it.op == op::function;
    if (begins == is_in_function_)
      return malformed(it.at, begins ? "begins a function in another" : "ends no function");
    is_in_function_ = begins;
    if (!begins) return {};
    PINTLE_ASSIGN(function, id(it, 1));
    functions_.insert(function);
    return {};
  }

  Result<void> define(const Instruction& it, std::size_t index, Definition definition) {
    PINTLE_ASSIGN(result, id(it, index));
    definition.op = it.op;
    if (definitions_.emplace(result, std::move(definition)).second) return {};
    return malformed(it.at + 1 + index, fmt::format("defines id ({}) again", result));
  }

  Result<void> read_variable(const Instruction& it) {
    PINTLE_ASSIGN(type, id(it, 0));
    PINTLE_TRY(need(it, 3));
    PINTLE_ASSIGN(variable, id(it, 1));
    PINTLE_TRY(define(it, 1, {.type = type, .value = it.operands[2]}));
    variables_.push_back(variable);
    return {};
  }

  Result<void> read_definition(const Instruction& it) {
    switch (it.op) {
      case op::type_bool: return define(it, 0, {.value = 1, .size = 4});
      case op::type_int:
      case op::type_float: return define_number(it);
      case op::type_vector:
      case op::type_matrix: return define_vector(it);
      case op::type_array:
      case op::type_runtime_array: return define_array(it);
      case op::type_struct: return define_struct(it);
      case op::type_pointer: return define_pointer(it);
      case op::constant:
      case op::spec_constant: PINTLE_TRY(need(it, 3)); return define_constant(it, it.operands[2]);
      case op::constant_true:
      case op::spec_constant_true: return define_constant(it, 1);
      case op::constant_false:
      case op::spec_constant_false: return define_constant(it, 0);
      case op::constant_composite:
      case op::spec_constant_composite: return define_composite(it);
      default: return {};
    }
  }

  Result<void> define_number(const Instruction& it) {
    PINTLE_TRY(need(it, it.op == op::type_int ? 3 : 2));
    const std::uint32_t bits = it.operands[1];
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return malformed(it.at + 2, fmt::format("has a number of ({}) bits", bits));
    const bool is_signed = it.op == op::type_int && it.operands[2] != 0;
    return define(it, 0, {.value = bits, .is_signed = is_signed, .size = bits / 8});
  }

  Result<void> define_vector(const Instruction& it) {
    PINTLE_ASSIGN(part, defined(it, 1));
    PINTLE_TRY(need(it, 3));
    const std::uint32_t count = it.operands[2];
    if (count < 2 || count > 16) return malformed(it.at + 3, fmt::format("has a vector of ({}) components", count));
    return define(it, 0, {.type = it.operands[1], .value = count, .size = part->size * count});
  }

  Result<void> define_array(const Instruction& it) {
    PINTLE_ASSIGN(part, defined(it, 1));
    PINTLE_ASSIGN(result, id(it, 0));
    Definition array{.type = it.operands[1]};
    if (it.op == op::type_array) {
      PINTLE_ASSIGN(length, id(it, 2));
      // A length that is computed at specialisation is not known here, and counts as none.
      const auto constant = definitions_.find(length);
      array.value = constant != definitions_.end() ? constant->second.value : 0;
      const auto stride = decorated(result, no_member, decoration::array_stride);
      const auto size = base::checked_mul(stride ? *stride : part->size, std::uint64_t{array.value});
      if (!size) return malformed(it.at, "has an array whose size does not fit 64 bits");
      array.size = *size;
    }
    return define(it, 0, std::move(array));
  }

  Result<void> define_struct(const Instruction& it) {
    PINTLE_ASSIGN(result, id(it, 0));
    Definition type;
    for (std::size_t index = 1; index < it.operands.size(); ++index) {
      PINTLE_ASSIGN(member, id(it, index));
      type.parts.push_back(member);
    }
    for (std::uint32_t index = 0; index < type.parts.size(); ++index) {
      const std::uint64_t offset = decorated(result, index, decoration::offset).value_or(0);
      const auto end = base::checked_add(offset, member_size(result, index, type.parts[index]));
      if (!end) return malformed(it.at, "has a struct whose size does not fit 64 bits");
      type.size = std::max(type.size, *end);
    }
    return define(it, 0, std::move(type));
  }

  /// Only pointers may stand before what they point to.
  Result<void> define_pointer(const Instruction& it) {
    PINTLE_ASSIGN(target, id(it, 2));
    return define(it, 0, {.type = target, .value = it.operands[1], .size = 8});
  }

  Result<void> define_constant(const Instruction& it, std::uint32_t value) {
    PINTLE_ASSIGN(type, id(it, 0));
    PINTLE_ASSIGN(result, id(it, 1));
    PINTLE_TRY(define(it, 1, {.type = type, .value = value}));
    if (it.op >= op::spec_constant_true && it.op <= op::spec_constant) spec_constants_.push_back(result);
    return {};
  }

  Result<void> define_composite(const Instruction& it) {
    PINTLE_ASSIGN(type, id(it, 0));
    PINTLE_ASSIGN(result, id(it, 1));
    Definition composite{.type = type};
    for (std::size_t index = 2; index < it.operands.size(); ++index) {
      PINTLE_ASSIGN(part, id(it, index));
      composite.parts.push_back(part);
    }
    if (decorated(result, no_member, decoration::built_in) == built_in_workgroup_size) workgroup_size_ = result;
    return define(it, 1, std::move(composite));
  }

  [[nodiscard]] std::optional<std::uint64_t> decorated(std::uint32_t target, std::uint32_t member,
                                                       std::uint32_t decoration) const {
    const auto found = decorations_.find({target, member, decoration});
    if (found == decorations_.end()) return std::nullopt;
    return found->second;
  }
  [[nodiscard]] const Definition* find(std::uint32_t id) const {
    const auto found = definitions_.find(id);
    return found == definitions_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] std::uint64_t member_size(std::uint32_t owner, std::uint32_t member, std::uint32_t type) const {
    const Definition* const definition = find(type);
    if (definition == nullptr) return 0;
    const auto stride = decorated(owner, member, decoration::matrix_stride);
    if (definition->op != op::type_matrix || !stride) return definition->size;
    const Definition* const column = find(definition->type);
    const bool by_rows = decorated(owner, member, decoration::row_major).has_value() && column != nullptr;
    return *stride * (by_rows ? column->value : definition->value);
  }

  /// A strict prefix of a module lacks a function that something calls, or ends within one.
  [[nodiscard]] Result<void> check_complete(std::size_t end) const {
    if (is_in_function_) return malformed(end, "is truncated: a function has no end");
    if (module_.entries.empty()) return malformed(end, "is truncated: there is no entry point");
    for (const auto& [function, at] : called_) {
      if (!functions_.contains(function))
        return malformed(at, fmt::format("uses function ({}), which the module does not define", function));
    }
    return {};
  }

  Result<void> finish() {
    for (std::size_t index = 0; index < module_.entries.size(); ++index) {
      PINTLE_ASSIGN(size, group_size_of(entry_functions_[index]));
      module_.entries[index].group_size = size;
    }
    for (const std::uint32_t variable : variables_) add_variable(variable);
    for (const std::uint32_t constant : spec_constants_) add_constant(constant);
    return {};
  }

  /// The built-in constant, else the mode of the entry point.
  [[nodiscard]] Result<std::optional<std::array<SpirvDimension, 3>>> group_size_of(std::uint32_t function) const {
    std::array<SpirvDimension, 3> dimensions;
    const auto mode = modes_.find(function);
    const Definition* const built_in = find(workgroup_size_);
    if (built_in == nullptr && mode == modes_.end()) return std::optional<std::array<SpirvDimension, 3>>();
    if (built_in != nullptr && built_in->parts.size() != 3)
      return malformed(begin_, "has a WorkgroupSize that is not three constants");
    for (std::size_t index = 0; index < 3; ++index) {
      const bool is_literal = built_in == nullptr && !mode->second.has_ids;
      const std::uint32_t value = built_in != nullptr ? built_in->parts[index] : mode->second.sizes[index];
      if (is_literal) {
        dimensions[index].value = value;
        continue;
      }
      const Definition* const constant = find(value);
      if (constant == nullptr)
        return malformed(mode != modes_.end() ? mode->second.at : begin_, "has a group size that is no constant");
      dimensions[index].value = constant->value;
      if (const auto spec_id = decorated(value, no_member, decoration::spec_id))
        dimensions[index].spec_id = static_cast<std::uint32_t>(*spec_id);
    }
    return std::optional(dimensions);
  }

  [[nodiscard]] std::string name_of(std::uint32_t id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? std::string() : found->second;
  }

  [[nodiscard]] SpirvBlock block_of(std::uint32_t type, const Definition& definition) const {
    SpirvBlock block;
    block.size = definition.size;
    for (std::uint32_t index = 0; index < definition.parts.size(); ++index) {
      const auto name = member_names_.find({type, index});
      block.members.push_back({name == member_names_.end() ? std::string() : name->second,
                               decorated(type, index, decoration::offset).value_or(0),
                               member_size(type, index, definition.parts[index])});
    }
    return block;
  }

  void add_variable(std::uint32_t id) {
    const Definition& variable = *find(id);
    const Definition* const pointer = find(variable.type);
    const std::uint32_t target = pointer != nullptr ? pointer->type : 0;
    const Definition* const type = find(target);
    const bool is_struct = type != nullptr && type->op == op::type_struct;
    if (variable.value == class_push_constant && is_struct) module_.push_constants = block_of(target, *type);
    const auto binding = decorated(id, no_member, decoration::binding);
    if (!binding) return;
    SpirvBinding bound;
    bound.id = id;
    bound.name = name_of(id).empty() ? name_of(target) : name_of(id);
    bound.set = static_cast<std::uint32_t>(decorated(id, no_member, decoration::descriptor_set).value_or(0));
    bound.binding = static_cast<std::uint32_t>(*binding);
    if (is_struct) {
      bound.block = block_of(target, *type);
      bound.kind = kind_of(variable.value, target);
      bound.is_writable = !is_read_only(id, target, *type);
    }
    module_.bindings.push_back(std::move(bound));
  }

  [[nodiscard]] SpirvBinding::Kind kind_of(std::uint32_t storage_class, std::uint32_t type) const {
    using enum SpirvBinding::Kind;
    if (storage_class == class_storage_buffer) return storage_buffer;
    if (storage_class != class_uniform) return other;
    return decorated(type, no_member, decoration::buffer_block) ? storage_buffer : uniform_block;
  }

  [[nodiscard]] bool is_read_only(std::uint32_t id, std::uint32_t type, const Definition& definition) const {
    if (decorated(id, no_member, decoration::non_writable)) return true;
    for (std::uint32_t index = 0; index < definition.parts.size(); ++index) {
      if (!decorated(type, index, decoration::non_writable)) return false;
    }
    return !definition.parts.empty();
  }

  void add_constant(std::uint32_t id) {
    using enum SpirvConstant::Kind;
    const auto spec_id = decorated(id, no_member, decoration::spec_id);
    const Definition* const type = find(find(id)->type);
    if (!spec_id || type == nullptr) return;
    SpirvConstant constant{name_of(id), static_cast<std::uint32_t>(*spec_id), integer, type->value};
    if (type->op == op::type_bool) constant.kind = boolean;
    else if (type->op == op::type_float) constant.kind = floating;
    else if (!type->is_signed) constant.kind = unsigned_integer;
    module_.constants.push_back(std::move(constant));
  }

  struct Mode {
    std::size_t at = 0;
    bool has_ids = false;
    std::array<std::uint32_t, 3> sizes{};
  };
  static constexpr std::uint32_t no_member = ~0u;

  const std::span<const std::uint32_t> words_;
  const std::size_t begin_;
  std::uint32_t bound_ = 0;
  SpirvModule module_;
  std::unordered_map<std::uint32_t, Definition> definitions_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> member_names_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> decorations_;  // (target, member, decoration)
  std::unordered_map<std::uint32_t, Mode> modes_;
  std::vector<std::uint32_t> entry_functions_, variables_, spec_constants_;
  std::map<std::uint32_t, std::size_t> called_;  // functions, and where they are used
  std::set<std::uint32_t> functions_;
  std::uint32_t workgroup_size_ = 0;
  bool is_in_function_ = false;
};

Result<std::vector<SpirvModule>> read_all(std::span<const std::byte> code) {
  constexpr std::size_t word_size = sizeof(std::uint32_t);
  if (code.size() % word_size != 0)
    return malformed(code.size() / word_size, fmt::format("is truncated: ({}) bytes are no whole words", code.size()));
  Words words(code.size() / word_size);
  for (std::size_t index = 0; index < words.size(); ++index)
    words[index] = base::load_little<std::uint32_t>(code, index * word_size).value_or(0);
  std::vector<SpirvModule> modules;
  std::size_t begin = 0;
  do {
    std::size_t end = 0;
    PINTLE_ASSIGN(module, ModuleReader(words, begin).read(end));
    module.code = code.subspan(begin * word_size, (end - begin) * word_size);
    modules.push_back(std::move(module));
    begin = end;
  } while (begin < words.size());
  return modules;
}

}  // namespace

Result<std::vector<SpirvModule>> read_spirv(std::span<const std::byte> code) {
  return base::contain("reading SPIR-V", [&] { return read_all(code); });
}

}  // namespace pintle::kit
