#include "spirv/module_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "spirv/instruction.h"

namespace pintle::spirv {
namespace {

constexpr std::uint32_t magic = 0x07230203;
constexpr std::uint32_t header_words = 5;
constexpr std::uint32_t most_ids = 0x3fffff;  // the specification's universal limit
constexpr std::uint32_t mode_local_size = 17;
constexpr std::uint32_t mode_local_size_id = 38;
constexpr std::uint32_t built_in_workgroup_size = 25;

[[nodiscard]] bool is_definition(std::uint32_t number) noexcept {
  return number >= op::type_bool && number <= op::spec_constant_op;
}

/// Whether an instruction may hand on a pointer, or touch what it points to, in a way that is not followed.
[[nodiscard]] bool may_hide(std::uint32_t number) noexcept {
  const auto is_among = [&](std::uint32_t first, std::uint32_t last) { return number >= first && number <= last; };
  return number == op::extended || number == op::convert_pointer || number == op::return_value ||
         is_among(op::pointer_cast_to_generic, op::generic_cast_to_pointer_explicit) ||
         is_among(op::image_sparse_sample_implicit_lod, op::image_sparse_texels_resident) ||
         number == op::image_sparse_read || number > op::pointer_difference;
}

class ModuleReader {
 public:
  ModuleReader(std::span<const std::uint32_t> words, std::size_t begin) : words_(words), begin_(begin) {}

  Result<Tables> read(std::size_t& end) {
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
    return std::move(tables_);
  }

 private:
  Result<void> read_header() {
    if (words_.size() - begin_ < header_words) return malformed(words_.size(), "is truncated: the header has 5 words");
    if (words_[begin_] != magic)
      return malformed(begin_, fmt::format("is ({:#010x}), not the magic number", words_[begin_]));
    tables_.version = words_[begin_ + 1];
    const std::uint32_t major = tables_.version >> 16;
    if (major != 1 || (tables_.version & 0xff0000ff) != 0)
      return malformed(begin_ + 1, fmt::format("has version ({:#010x}), which is not 1.x", tables_.version));
    bound_ = words_[begin_ + 3];
    if (bound_ == 0 || bound_ > most_ids)
      return malformed(begin_ + 3, fmt::format("has an id bound ({}) outside of 1 to ({})", bound_, most_ids));
    if (words_[begin_ + 4] != 0) return malformed(begin_ + 4, "has a schema, which is not known");
    return {};
  }

  Result<void> read_one(const Instruction& it) {
    switch (it.op) {
      case op::capability: return read_capability(it);
      case op::extension: return read_extension(it);
      case op::entry_point: return read_entry(it);
      case op::execution_mode:
      case op::execution_mode_id: return read_mode(it);
      case op::name:
      case op::member_name: return read_name(it);
      case op::decorate:
      case op::member_decorate: return read_decoration(it);
      case op::group_decorate: return read_group(it, 1);
      case op::group_member_decorate: return read_group(it, 2);
      case op::type_forward_pointer: return announce_pointer(it);
      case op::function:
      case op::function_end: return read_function(it);
      case op::function_parameter: return read_parameter(it);
      case op::function_call: return read_call(it);
      case op::variable: return is_in_function_ ? Result<void>() : read_variable(it);
      case op::access_chain:
      case op::in_bounds_access_chain:
      case op::ptr_access_chain:
      case op::in_bounds_ptr_access_chain:
      case op::image_texel_pointer:
      case op::array_length: return read_pointer(it, {2});
      case op::image: return read_pointer(it, {2});
      case op::sampled_image: return read_combined(it);
      case op::copy_object:
      case op::bitcast: return makes_pointer(it) || makes_image(it) ? read_pointer(it, {2}) : Result<void>();
      case op::select: return makes_pointer(it) ? read_pointer(it, {3, 4}) : Result<void>();
      case op::phi: return makes_pointer(it) ? read_phi(it) : Result<void>();
      case op::load: return makes_image(it) ? read_pointer(it, {2}) : read_touch(it, 2, &Body::read);
      case op::image_write: return read_touch(it, 0, &Body::written);
      case op::atomic_load: return read_touch(it, 2, &Body::read);
      case op::copy_memory:
      case op::copy_memory_sized: PINTLE_TRY(read_touch(it, 1, &Body::read)); [[fallthrough]];
      case op::store: PINTLE_TRY(read_escape(it, 1)); [[fallthrough]];
      case op::atomic_store:
      case op::atomic_flag_clear: return read_touch(it, 0, &Body::written);
      default: return read_rest(it);
    }
  }

  Result<void> read_rest(const Instruction& it) {
    if (is_definition(it.op)) return read_definition(it);
    if (it.op >= op::image_sample_implicit_lod && it.op <= op::image_read) return read_touch(it, 2, &Body::read);
    const bool is_atomic = (it.op >= op::atomic_exchange && it.op <= op::atomic_xor) ||
                           it.op == op::atomic_flag_test_and_set || it.op == op::atomic_f_min_ext ||
                           it.op == op::atomic_f_max_ext || it.op == op::atomic_f_add_ext;
    if (!is_atomic) return may_hide(it.op) ? read_escape(it, it.op == op::extended ? 4 : 0) : Result<void>();
    PINTLE_TRY(read_touch(it, 2, &Body::read));
    return read_touch(it, 2, &Body::written);
  }

  Result<std::uint32_t> id(const Instruction& it, std::size_t index) const {
    PINTLE_TRY(it.need(index + 1));
    const std::uint32_t value = it.operands[index];
    if (value != 0 && value < bound_) return value;
    return malformed(it.at + 1 + index, fmt::format("has id ({}), which is not below the bound ({})", value, bound_));
  }
  /// The definition of the id. Its type must have a size.
  Result<const Definition*> defined(const Instruction& it, std::size_t index) const {
    PINTLE_ASSIGN(wanted, id(it, index));
    const auto found = tables_.definitions.find(wanted);
    if (found != tables_.definitions.end()) return &found->second;
    return malformed(it.at + 1 + index, fmt::format("uses id ({}) before it is defined", wanted));
  }

  Result<void> read_capability(const Instruction& it) {
    PINTLE_TRY(it.need(1));
    tables_.capabilities.push_back(it.operands[0]);
    return {};
  }

  Result<void> read_extension(const Instruction& it) {
    std::size_t next = 0;
    PINTLE_ASSIGN(name, it.text(0, next));
    tables_.extensions.push_back(name);
    return {};
  }

  Result<void> read_entry(const Instruction& it) {
    PINTLE_ASSIGN(function, id(it, 1));
    TableEntry entry;
    entry.model = it.operands[0];
    std::size_t next = 0;
    PINTLE_ASSIGN(name, it.text(2, next));
    entry.name = name;
    for (; next < it.operands.size(); ++next) {
      PINTLE_ASSIGN(variable, id(it, next));
      entry.interface.push_back(variable);
    }
    entry.function = function;
    called_.emplace(function, it.at);
    tables_.entries.push_back(std::move(entry));
    return {};
  }

  Result<void> read_mode(const Instruction& it) {
    PINTLE_ASSIGN(function, id(it, 0));
    PINTLE_TRY(it.need(2));
    const std::uint32_t mode = it.operands[1];
    if (mode != mode_local_size && mode != mode_local_size_id) return {};
    PINTLE_TRY(it.need(5));
    Mode& of = tables_.modes[function];
    of.at = it.at;
    of.has_ids = mode == mode_local_size_id;
    std::copy_n(it.operands.begin() + 2, 3, of.sizes.begin());
    return {};
  }

  Result<void> read_name(const Instruction& it) {
    PINTLE_ASSIGN(target, id(it, 0));
    std::size_t next = 0;
    const bool is_member = it.op == op::member_name;
    if (is_member) PINTLE_TRY(it.need(2));
    PINTLE_ASSIGN(name, it.text(is_member ? 2 : 1, next));
    if (is_member) tables_.member_names[{target, it.operands[1]}] = name;
    else tables_.names[target] = name;
    return {};
  }

  Result<void> read_decoration(const Instruction& it) {
    PINTLE_ASSIGN(target, id(it, 0));
    const std::size_t first = it.op == op::member_decorate ? 1 : 0;
    PINTLE_TRY(it.need(first + 2));
    const std::uint32_t member = first == 1 ? it.operands[1] : no_member;
    const std::uint32_t value = it.operands.size() > first + 2 ? it.operands[first + 2] : 0;
    tables_.decorations[{target, member, it.operands[first + 1]}] = value;
    return {};
  }

  /// Gives the decorations of a group to its targets: ids, or with `step` 2 structs, each with the number of a member.
  Result<void> read_group(const Instruction& it, std::size_t step) {
    PINTLE_ASSIGN(group, id(it, 0));
    for (std::size_t index = 1; index < it.operands.size(); index += step) {
      PINTLE_ASSIGN(target, id(it, index));
      PINTLE_TRY(it.need(index + step));
      const std::uint32_t member = step == 2 ? it.operands[index + 1] : no_member;
      for (const std::uint32_t one : decoration::all) {
        if (const auto value = tables_.decorations.find({group, no_member, one}); value != tables_.decorations.end())
          tables_.decorations[{target, member, one}] = value->second;
      }
    }
    return {};
  }

  [[nodiscard]] bool makes_pointer(const Instruction& it) const {
    const Definition* const type = it.operands.empty() ? nullptr : tables_.find(it.operands[0]);
    return type != nullptr && type->op == op::type_pointer;
  }

  /// An image or a sampler as a value: a load of it touches no texel.
  [[nodiscard]] bool makes_image(const Instruction& it) const {
    const Definition* const type = it.operands.empty() ? nullptr : tables_.find(it.operands[0]);
    return type != nullptr && type->op >= op::type_image && type->op <= op::type_sampled_image;
  }

  /// Reads an image that gets a sampler.
  Result<void> read_combined(const Instruction& it) {
    PINTLE_TRY(read_pointer(it, {2, 3}));
    tables_.bodies[function_].combined.emplace_back(it.operands[2], it.operands[3]);
    return {};
  }

  /// Reads a pointer into the objects that other pointers, the operands `from`, point into.
  Result<void> read_pointer(const Instruction& it, std::initializer_list<std::size_t> from) {
    PINTLE_ASSIGN(pointer, id(it, 1));
    for (const std::size_t operand : from) {
      PINTLE_ASSIGN(base, id(it, operand));
      tables_.bases[pointer].push_back(base);
      tables_.bodies[function_].used.insert(base);
    }
    return {};
  }

  /// Reads values and the blocks that they come from.
  Result<void> read_phi(const Instruction& it) {
    for (std::size_t operand = 2; operand < it.operands.size(); operand += 2) PINTLE_TRY(read_pointer(it, {operand}));
    return {};
  }

  /// Reads what loads from or stores to the pointer at operand `target`.
  Result<void> read_touch(const Instruction& it, std::size_t target, std::set<std::uint32_t> Body::* how) {
    PINTLE_ASSIGN(pointer, id(it, target));
    Body& body = tables_.bodies[function_];
    (body.*how).insert(pointer);
    body.used.insert(pointer);
    return {};
  }

  /// Reads ids from an operand on, some of which may be pointers.
  Result<void> read_escape(const Instruction& it, std::size_t first) {
    if (!is_in_function_ || it.operands.size() <= first) return {};
    const auto pointers = it.operands.subspan(first);
    tables_.bodies[function_].escaped.insert(pointers.begin(), pointers.end());
    return {};
  }

  Result<void> read_parameter(const Instruction& it) {
    PINTLE_ASSIGN(parameter, id(it, 1));
    tables_.bodies[function_].parameters.push_back(parameter);
    return {};
  }

  Result<void> read_call(const Instruction& it) {
    PINTLE_ASSIGN(callee, id(it, 2));
    called_.emplace(callee, it.at);
    Body& body = tables_.bodies[function_];
    Call call{callee, {}};
    for (std::size_t operand = 3; operand < it.operands.size(); ++operand) {
      PINTLE_ASSIGN(argument, id(it, operand));
      call.arguments.push_back(argument);
      body.used.insert(argument);
    }
    body.calls.push_back(std::move(call));
    return {};
  }

  Result<void> read_function(const Instruction& it) {
    const bool begins = it.op == op::function;
    if (begins == is_in_function_)
      return malformed(it.at, begins ? "begins a function in another" : "ends no function");
    is_in_function_ = begins;
    if (!begins) return {};
    PINTLE_ASSIGN(function, id(it, 1));
    functions_.insert(function);
    function_ = function;
    return {};
  }

  Result<void> define(const Instruction& it, std::size_t index, Definition definition) {
    PINTLE_ASSIGN(result, id(it, index));
    definition.op = it.op;
    if (tables_.definitions.emplace(result, std::move(definition)).second) return {};
    return malformed(it.at + 1 + index, fmt::format("defines id ({}) again", result));
  }

  Result<void> read_variable(const Instruction& it) {
    PINTLE_ASSIGN(type, id(it, 0));
    PINTLE_TRY(it.need(3));
    PINTLE_ASSIGN(variable, id(it, 1));
    PINTLE_TRY(define(it, 1, {.type = type, .value = it.operands[2]}));
    tables_.variables.push_back(variable);
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
      case op::spec_constant: PINTLE_TRY(it.need(3)); return define_constant(it, it.operands[2]);
      case op::constant_true:
      case op::spec_constant_true: return define_constant(it, 1);
      case op::constant_false:
      case op::spec_constant_false: return define_constant(it, 0);
      case op::constant_composite:
      case op::spec_constant_composite: return define_composite(it);
      case op::spec_constant_op: return define_operation(it);
      case op::type_image: return define_image(it);
      case op::type_sampled_image: PINTLE_TRY(it.need(2)); return define(it, 0, {.type = it.operands[1]});
      case op::type_sampler:
      case op::type_opaque: return define(it, 0, {});
      default: return {};
    }
  }

  Result<void> define_image(const Instruction& it) {
    PINTLE_TRY(it.need(8));
    const auto& with = it.operands;
    return define(it, 0, {.type = with[1], .value = with[6], .parts = {with[2], with[3], with[4], with[5], with[7]}});
  }

  Result<void> define_number(const Instruction& it) {
    PINTLE_TRY(it.need(it.op == op::type_int ? 3 : 2));
    const std::uint32_t bits = it.operands[1];
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      return malformed(it.at + 2, fmt::format("has a number of ({}) bits", bits));
    const bool is_signed = it.op == op::type_int && it.operands[2] != 0;
    return define(it, 0, {.value = bits, .is_signed = is_signed, .size = bits / 8});
  }

  Result<void> define_vector(const Instruction& it) {
    PINTLE_ASSIGN(part, defined(it, 1));
    PINTLE_TRY(it.need(3));
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
      array.parts.push_back(length);
      // A length that specialisation computes is not known here, and counts as none.
      const Definition* const constant = tables_.find(length);
      array.value = constant != nullptr && constant->op != op::spec_constant_op ? constant->value : 0;
      const auto stride = tables_.decorated(result, no_member, decoration::array_stride);
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
      const std::uint64_t offset = tables_.decorated(result, index, decoration::offset).value_or(0);
      const auto end = base::checked_add(offset, tables_.member_size(result, index, type.parts[index]));
      if (!end) return malformed(it.at, "has a struct whose size does not fit 64 bits");
      type.size = std::max(type.size, *end);
    }
    return define(it, 0, std::move(type));
  }

  /// Only a pointer may come before the type that it points to, and so be a part of it.
  Result<void> define_pointer(const Instruction& it) {
    PINTLE_ASSIGN(result, id(it, 0));
    PINTLE_ASSIGN(target, id(it, 2));
    if (announced_.erase(result) != 0) tables_.definitions.erase(result);
    return define(it, 0, {.type = target, .value = it.operands[1], .size = 8});
  }

  /// A pointer that stands in a type before what it points to is defined.
  Result<void> announce_pointer(const Instruction& it) {
    PINTLE_ASSIGN(result, id(it, 0));
    PINTLE_TRY(it.need(2));
    if (tables_.definitions.emplace(result, Definition{.op = op::type_pointer, .value = it.operands[1], .size = 8})
            .second)
      announced_.insert(result);
    return {};
  }

  Result<void> define_constant(const Instruction& it, std::uint32_t value) {
    PINTLE_ASSIGN(type, id(it, 0));
    PINTLE_ASSIGN(result, id(it, 1));
    PINTLE_TRY(define(it, 1, {.type = type, .value = value}));
    if (it.op >= op::spec_constant_true && it.op <= op::spec_constant) tables_.spec_constants.push_back(result);
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
    if (tables_.decorated(result, no_member, decoration::built_in) == built_in_workgroup_size)
      tables_.workgroup_size = result;
    return define(it, 1, std::move(composite));
  }

  Result<void> define_operation(const Instruction& it) {
    PINTLE_ASSIGN(type, id(it, 0));
    PINTLE_TRY(it.need(3));
    const auto operands = it.operands.subspan(3);
    return define(it, 1,
                  {.type = type, .value = it.operands[2], .parts = std::vector(operands.begin(), operands.end())});
  }

  /// A module that is cut short lacks a function that is called, or ends within a function.
  [[nodiscard]] Result<void> check_complete(std::size_t end) const {
    if (is_in_function_) return malformed(end, "is truncated: a function has no end");
    if (tables_.entries.empty()) return malformed(end, "is truncated: there is no entry point");
    for (const auto& [function, at] : called_) {
      if (!functions_.contains(function))
        return malformed(at, fmt::format("uses function ({}), which the module does not define", function));
    }
    return {};
  }

  const std::span<const std::uint32_t> words_;
  const std::size_t begin_;
  std::uint32_t bound_ = 0;
  Tables tables_;
  std::map<std::uint32_t, std::size_t> called_;  // called functions, and where each call is
  std::set<std::uint32_t> functions_;
  std::set<std::uint32_t> announced_;  // pointers whose types are still to come
  std::uint32_t function_ = 0;         // the function that began last
  bool is_in_function_ = false;
};

}  // namespace

Result<Tables> read_module(std::span<const std::uint32_t> words, std::size_t begin, std::size_t& end) {
  return ModuleReader(words, begin).read(end);
}

}  // namespace pintle::spirv
