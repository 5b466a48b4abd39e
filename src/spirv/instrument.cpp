#include "spirv/instrument.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "spirv/module_reader.h"
#include "spirv/module_writer.h"
#include "spirv/pointers.h"
#include "spirv/tables.h"

namespace pintle::spirv {
namespace {

constexpr std::uint32_t version_1_3 = 0x00010300;
constexpr std::uint32_t version_1_4 = 0x00010400;
constexpr std::uint32_t vulkan_memory = 3;
constexpr std::uint32_t scope_device = 1;
constexpr std::uint32_t scope_queue_family = 5;
constexpr std::uint32_t no_bits = ~std::uint32_t{0};

/// The parts of an instruction that touches memory through a pointer.
struct Shape {
  std::size_t pointer = 0;  ///< Which operand the pointer is.
  std::size_t values_end =
      0;  ///< Operands behind the pointer and before this one are ids; those from here on stay as they are.
  bool has_result = false;
  bool reads = false;
  bool writes = false;
};

std::optional<Shape> shape_of(const Line& line) {
  const std::size_t all = line.operands.size();
  switch (line.op) {
    case op::load: return Shape{2, 3, true, true, false};
    case op::store: return Shape{0, 2, false, false, true};
    case op::atomic_load: return Shape{2, all, true, true, false};
    case op::atomic_store:
    case op::atomic_flag_clear: return Shape{0, all, false, false, true};
    default: break;
  }
  const bool is_atomic = (line.op >= op::atomic_exchange && line.op <= op::atomic_xor) ||
                         line.op == op::atomic_flag_test_and_set || line.op == op::atomic_f_min_ext ||
                         line.op == op::atomic_f_max_ext || line.op == op::atomic_f_add_ext;
  if (!is_atomic) return std::nullopt;
  return Shape{2, all, true, true, true};
}

/// The function that stands for one access: it checks, and then does what the instruction did.
class AccessFunction {
 public:
  AccessFunction(ModuleWriter& writer, const Tables& tables, const Pointers& pointers, const Line& line,
                 const Shape& shape, const Path& path, const Walk& walk)
      : writer_(writer), tables_(tables), pointers_(pointers), line_(line), shape_(shape), path_(path), walk_(walk) {}

  /// The call that replaces the instruction. Empty where a value's type is not known.
  std::optional<Line> write(std::uint32_t note_function, std::uint32_t number) {
    if (!gather()) return std::nullopt;
    const std::uint32_t result = shape_.has_result ? line_.at(0) : writer_.type_void();
    std::vector<std::uint32_t> parameters;
    for (const std::uint32_t value : outer_) parameters.push_back(pointers_.type_of(value));
    inner_ = std::move(parameters);
    const std::uint32_t function = writer_.begin_function(result, inner_);
    write_body(result, note_function, number);
    Line call{op::function_call, {result, shape_.has_result ? line_.at(1) : writer_.new_id(), function}};
    call.operands.insert(call.operands.end(), outer_.begin(), outer_.end());
    return call;
  }

 private:
  /// Values of the calling function that the new one gets.
  bool gather() {
    std::vector<std::uint32_t> values = path_.indices;
    for (std::size_t index = shape_.pointer + 1; index < shape_.values_end; ++index) values.push_back(line_.at(index));
    for (const std::uint32_t value : values) {
      if (pointers_.is_global(value) || std::ranges::find(outer_, value) != outer_.end()) continue;
      if (pointers_.type_of(value) == 0) return false;
      outer_.push_back(value);
    }
    return outer_.size() < 200;  // a function has at most 255
  }
  [[nodiscard]] std::uint32_t inside(std::uint32_t value) const {
    const auto found = std::ranges::find(outer_, value);
    return found == outer_.end() ? value : inner_[static_cast<std::size_t>(found - outer_.begin())];
  }

  void write_body(std::uint32_t result, std::uint32_t note_function, std::uint32_t number) {
    const std::uint32_t good = writer_.new_id(), bad = writer_.new_id(), merge = writer_.new_id();
    writer_.add(op::label, {writer_.new_id()});
    const std::uint32_t is_inside = write_checks();
    writer_.add(op::selection_merge, {merge, 0});
    writer_.add(op::branch_conditional, {is_inside, good, bad});
    writer_.add(op::label, {bad});
    static_cast<void>(
        writer_.make(op::function_call, writer_.type_void(), {note_function, writer_.constant(number), index_, rest_}));
    writer_.add(op::branch, {merge});
    writer_.add(op::label, {good});
    const std::uint32_t value = write_access();
    writer_.add(op::branch, {merge});
    writer_.add(op::label, {merge});
    if (shape_.has_result) {
      const std::uint32_t chosen = writer_.make(op::phi, result, {value, good, writer_.null_of(result), bad});
      writer_.add(op::return_value, {chosen});
    } else {
      writer_.add(op::return_nothing, {});
    }
    writer_.add(op::function_end, {});
  }

  /// The id of a boolean. Fills `index_` and `rest_`.
  std::uint32_t write_checks() {
    index_ = rest_ = writer_.constant(0);
    std::uint32_t all = 0;
    for (const Step& step : walk_.steps) {
      const std::uint32_t index = as_u32(inside(step.index), pointers_.type_of(step.index));
      const std::uint32_t is_inside = writer_.make(op::u_less_than, writer_.type_bool(), {index, length_of(step)});
      all = all == 0 ? is_inside : writer_.make(op::logical_and, writer_.type_bool(), {all, is_inside});
      if (step.is_endless) index_ = index;
      else {
        const std::uint32_t bytes = writer_.make(op::i_mul, writer_.type_u32(), {index, writer_.constant(step.stride)});
        rest_ = writer_.make(op::i_add, writer_.type_u32(), {rest_, bytes});
      }
    }
    return all;
  }

  std::uint32_t length_of(const Step& step) {
    if (step.length != 0) return step.length;
    if (!step.is_endless) return writer_.constant(step.count);
    std::uint32_t owner = path_.variable;
    if (step.depth != 0) {
      std::vector<std::uint32_t> operands{owner};
      for (std::size_t depth = 0; depth < step.depth; ++depth) operands.push_back(inside(path_.indices[depth]));
      owner = writer_.make(op::access_chain, pointer_to_struct(step.depth), std::move(operands));
    }
    return writer_.make(op::array_length, writer_.type_u32(), {owner, step.member});
  }

  /// The type of a pointer to one block of an array of blocks.
  std::uint32_t pointer_to_struct(std::size_t depth) {
    const Definition& variable = *tables_.find(path_.variable);
    std::uint32_t type = tables_.find(variable.type)->type;
    for (; depth > 0; --depth) type = tables_.find(type)->type;
    return writer_.type(op::type_pointer, {variable.value, type});
  }

  std::uint32_t as_u32(std::uint32_t value, std::uint32_t type) {
    const Definition* const of = tables_.find(type);
    const std::uint32_t u32 = writer_.type_u32();
    if (of == nullptr || (of->value == 32 && !of->is_signed)) return value;
    if (of->value == 32) return writer_.make(op::bitcast, u32, {value});
    if (of->value < 32) return writer_.make(of->is_signed ? op::s_convert : op::u_convert, u32, {value});
    const std::uint32_t limit = writer_.constant64(type, no_bits);
    const std::uint32_t fits = writer_.make(op::u_less_than, writer_.type_bool(), {value, limit});
    const std::uint32_t low = writer_.make(op::u_convert, u32, {value});
    return writer_.make(op::select, u32, {fits, low, writer_.constant(no_bits)});
  }

  std::uint32_t write_access() {
    std::vector<std::uint32_t> chain{path_.variable};
    for (const std::uint32_t index : path_.indices) chain.push_back(inside(index));
    const std::uint32_t pointer =
        writer_.make(op::access_chain, pointers_.type_of(line_.at(shape_.pointer)), std::move(chain));
    std::vector<std::uint32_t> operands{pointer};
    for (std::size_t index = shape_.pointer + 1; index < line_.operands.size(); ++index)
      operands.push_back(index < shape_.values_end ? inside(line_.at(index)) : line_.at(index));
    if (shape_.has_result) return writer_.make(line_.op, line_.at(0), std::move(operands));
    writer_.add(line_.op, std::move(operands));
    return 0;
  }

  ModuleWriter& writer_;
  const Tables& tables_;
  const Pointers& pointers_;
  const Line& line_;
  const Shape& shape_;
  const Path& path_;
  const Walk& walk_;
  std::vector<std::uint32_t> outer_;  // ids in the calling function, and here
  std::vector<std::uint32_t> inner_;
  std::uint32_t index_ = 0;
  std::uint32_t rest_ = 0;
};

/// Set and binding.
using BoundAt = std::pair<std::uint32_t, std::uint32_t>;

BoundAt bound_at(const Tables& tables, std::uint32_t variable) {
  const auto value = [&](std::uint32_t name) {
    return static_cast<std::uint32_t>(tables.decorated(variable, no_member, name).value_or(0));
  };
  return {value(decoration::descriptor_set), value(decoration::binding)};
}

bool is_bound(const Tables& tables, std::uint32_t variable) {
  return tables.decorated(variable, no_member, decoration::binding).has_value();
}

bool is_image(const Tables& tables, std::uint32_t variable) {
  return tables.find(variable)->value == class_uniform_constant;
}

/// Where the entry's buffers are bound, in order; the uniform block of its scalars is none of them.
std::vector<BoundAt> places_of(const Tables& tables, const Pointers& pointers, std::uint32_t buffers) {
  const std::vector<std::uint32_t>& named = tables.entries.front().interface;
  std::map<BoundAt, bool> all;  // whether it is a storage buffer
  for (const std::uint32_t variable : tables.variables) {
    const bool is_used = tables.version < version_1_4 || std::ranges::find(named, variable) != named.end();
    if (is_used && is_bound(tables, variable) && !is_image(tables, variable))
      all[bound_at(tables, variable)] |= pointers.is_storage(variable);
  }
  const auto scalars = std::find_if(all.rbegin(), all.rend(), [](const auto& place) { return !place.second; });
  if (all.size() > buffers && scalars != all.rend()) all.erase(std::next(scalars).base());
  std::vector<BoundAt> places;
  for (const auto& [place, is_storage] : all) places.push_back(place);
  return places;
}

/// Behind everything that is bound.
BoundAt note_place(const Tables& tables) {
  BoundAt last{0, 0};
  for (const std::uint32_t variable : tables.variables) {
    if (!is_bound(tables, variable)) continue;
    const auto [set, binding] = bound_at(tables, variable);
    last = std::max(last, BoundAt(set, binding + 1));
  }
  return last;
}

class Instrumenting {
 public:
  Instrumenting(Listing& listing, const Tables& tables, std::uint32_t buffers)
      : listing_(listing),
        tables_(tables),
        pointers_(tables, listing),
        writer_(listing),
        places_(places_of(tables, pointers_, buffers)),
        note_place_(note_place(tables)) {}

  Instrumented run() {
    const std::uint32_t note_function = write_note_function();
    Lines changed;
    changed.reserve(listing_.functions.size());
    for (const Line& line : listing_.functions) {
      auto call = replace(line, note_function);
      changed.push_back(call ? *std::move(call) : line);
    }
    listing_.functions = std::move(changed);
    writer_.finish();
    out_.code = code_of(listing_);
    return std::move(out_);
  }

 private:
  std::optional<Line> replace(const Line& line, std::uint32_t note_function) {
    const auto shape = shape_of(line);
    if (!shape) {
      if (passes_storage(line)) ++out_.unchecked;
      return std::nullopt;
    }
    const std::uint32_t pointer = line.at(shape->pointer);
    const auto path = pointers_.path_of(pointer);
    if (!path) {
      if (is_unknown_storage(pointer)) ++out_.unchecked;
      return std::nullopt;
    }
    if (!pointers_.is_storage(path->variable) || path->indices.empty()) return std::nullopt;
    const auto walk = pointers_.walk(*path);
    if (walk && walk->steps.empty()) return std::nullopt;
    std::optional<Line> call;
    if (walk) {
      AccessFunction function(writer_, tables_, pointers_, line, *shape, *path, *walk);
      call = function.write(note_function, static_cast<std::uint32_t>(out_.accesses.size()));
    }
    if (call) note_access(*path, *walk, *shape);
    else ++out_.unchecked;
    return call;
  }

  /// A pointer to a buffer's bytes that no variable is known of.
  [[nodiscard]] bool is_unknown_storage(std::uint32_t pointer) const {
    constexpr std::uint32_t class_physical = 5349;
    const auto storage_class = pointers_.class_of(pointer);
    return storage_class == class_storage_buffer || storage_class == class_physical;
  }
  [[nodiscard]] bool passes_storage(const Line& line) const {
    if (line.op != op::copy_memory && line.op != op::copy_memory_sized) return false;
    return is_unknown_storage(line.at(0)) || is_unknown_storage(line.at(1));
  }

  void note_access(const Path& path, const Walk& walk, const Shape& shape) {
    CheckedAccess access{.reads = shape.reads, .writes = shape.writes, .offset = walk.offset};
    const BoundAt place = bound_at(tables_, path.variable);
    access.buffer = static_cast<std::uint32_t>(std::ranges::find(places_, place) - places_.begin());
    for (const Step& step : walk.steps) {
      if (step.is_endless) access.stride = step.stride;
    }
    out_.accesses.push_back(access);
  }

  /// Adds the note's variable, as buffers are declared in modules of this version.
  std::uint32_t add_note() {
    const bool is_old = listing_.header[1] < version_1_3;
    class_ = is_old ? class_uniform : class_storage_buffer;
    const std::uint32_t u32 = writer_.type_u32();
    const std::uint32_t block = writer_.structure({u32, u32, u32, u32});
    const std::uint32_t note = writer_.variable(block, class_);
    for (std::uint32_t member = 0; member < 4; ++member)
      writer_.add_head(op::member_decorate, {block, member, decoration::offset, member * 4});
    writer_.add_head(op::decorate, {block, is_old ? decoration::buffer_block : decoration::block});
    writer_.add_head(op::decorate, {note, decoration::descriptor_set, note_place_.first});
    writer_.add_head(op::decorate, {note, decoration::binding, note_place_.second});
    for (Line& line : listing_.head) {
      if (line.op == op::entry_point && listing_.header[1] >= version_1_4) line.operands.push_back(note);
    }
    return note;
  }

  /// The function that writes the first note: (access, index, rest).
  std::uint32_t write_note_function() {
    const std::uint32_t note = add_note(), u32 = writer_.type_u32(), nothing = writer_.type_void();
    const std::uint32_t pointer = writer_.type(op::type_pointer, {class_, u32});
    const std::uint32_t zero = writer_.constant(0), one = writer_.constant(1);
    std::vector<std::uint32_t> parameters{u32, u32, u32};
    const std::uint32_t function = writer_.begin_function(nothing, parameters);
    const std::uint32_t first = writer_.new_id(), merge = writer_.new_id();
    const auto member = [&](std::uint32_t number) {
      return writer_.make(op::access_chain, pointer, {note, writer_.constant(number)});
    };
    writer_.add(op::label, {writer_.new_id()});
    const std::uint32_t before =
        writer_.make(op::atomic_compare_exchange, u32, {member(0), writer_.constant(scope()), zero, zero, one, zero});
    const std::uint32_t is_first = writer_.make(op::i_equal, writer_.type_bool(), {before, zero});
    writer_.add(op::selection_merge, {merge, 0});
    writer_.add(op::branch_conditional, {is_first, first, merge});
    writer_.add(op::label, {first});
    for (std::uint32_t number = 0; number < 3; ++number) {
      const std::uint32_t place = member(number + 1);
      writer_.add(op::store, {place, parameters[number]});
    }
    writer_.add(op::branch, {merge});
    writer_.add(op::label, {merge});
    writer_.add(op::return_nothing, {});
    writer_.add(op::function_end, {});
    return function;
  }

  /// With Vulkan's memory model the scope of a device needs a capability that few modules declare.
  [[nodiscard]] std::uint32_t scope() const {
    const auto model = std::ranges::find(listing_.head, std::uint32_t{op::memory_model}, &Line::op);
    return model != listing_.head.end() && model->at(1) == vulkan_memory ? scope_queue_family : scope_device;
  }

  Listing& listing_;
  const Tables& tables_;
  const Pointers pointers_;
  ModuleWriter writer_;
  const std::vector<BoundAt> places_;
  const BoundAt note_place_;
  std::uint32_t class_ = 0;
  Instrumented out_;
};

std::vector<std::uint32_t> words_of(std::span<const std::byte> code) {
  std::vector<std::uint32_t> words(code.size() / 4);
  for (std::size_t index = 0; index < words.size(); ++index)
    words[index] = base::load_little<std::uint32_t>(code, index * 4).value_or(0);
  return words;
}

}  // namespace

std::int64_t CheckedAccess::offset_of(const OutsideNote& note) const noexcept {
  const auto signed_of = [](std::uint32_t value) { return std::int64_t{static_cast<std::int32_t>(value)}; };
  return std::int64_t{offset} + signed_of(note.index) * stride + signed_of(note.rest);
}

Result<Instrumented> instrument(const InstrumentRequest& request) {
  std::size_t end = 0;
  PINTLE_TRY(read_module(words_of(request.code), 0, end));
  Listing listing = list_module(words_of(request.code));
  keep_entry(listing, request.entry_point, request.new_name, request.buffers + request.images);
  const auto kept = words_of(code_of(listing));
  PINTLE_ASSIGN(tables, read_module(kept, 0, end));
  return Instrumenting(listing, tables, request.buffers).run();
}

}  // namespace pintle::spirv
