#include "core/list/slot_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "base/constant.h"
#include "core/door/describe.h"
#include "kit/accesses.h"

namespace pintle::core {
namespace {

std::string_view kind_name(SlotRule::Kind kind) {
  switch (kind) {
    case SlotRule::Kind::buffer: return "a buffer";
    case SlotRule::Kind::scalar: return "a scalar";
    case SlotRule::Kind::source: return "host memory to read";
    case SlotRule::Kind::target: return "host memory to write";
  }
  return "";
}

SlotRule::Kind kind_of(const backend::Binding& binding) noexcept {
  return static_cast<SlotRule::Kind>(binding.index());
}

std::uint64_t size_of(const backend::Binding& binding) noexcept {
  if (const auto* range = std::get_if<backend::Range>(&binding)) return range->size;
  if (const auto* source = std::get_if<backend::HostSource>(&binding)) return source->size;
  if (const auto* target = std::get_if<backend::HostTarget>(&binding)) return target->size;
  return 0;
}

// Rules for ranges outside launches: the size is exact, and the operation says which alignment it needs.
void add_operation_rules(const backend::Command& command, std::vector<SlotRule>& rules) {
  const auto add = [&](const backend::Range& range, std::uint64_t alignment) {
    if (range.slot != backend::no_slot)
      rules.push_back({.slot = range.slot, .size = range.size, .alignment = alignment});
  };
  if (const auto* copy = std::get_if<backend::Copy>(&command.operation)) {
    add(copy->to, 1);
    add(copy->from, 1);
  } else if (const auto* images = std::get_if<backend::CopyImage>(&command.operation)) {
    const backend::Range& buffer = images->is_to_image ? images->from : images->to;
    if (buffer.slot != backend::no_slot)
      rules.push_back({.slot = buffer.slot, .least = buffer.size, .alignment = bytes_of(images->transfer->texel)});
  } else if (const auto* fill = std::get_if<backend::Fill>(&command.operation)) {
    if (fill->to.slot != backend::no_slot) {
      rules.push_back({.slot = fill->to.slot,
                       .multiple = fill->pattern_size,
                       .dtype = fill->dtype,
                       .alignment = fill->pattern_size});
    }
  } else if (const auto* timestamp = std::get_if<backend::Timestamp>(&command.operation)) {
    add(timestamp->to, 8);
  } else if (const auto* indirect = std::get_if<backend::ExecIndirect>(&command.operation)) {
    add(indirect->grid_at, 4);
  } else if (const auto* upload = std::get_if<backend::Upload>(&command.operation)) {
    if (upload->from.slot != backend::no_slot) {
      rules.push_back({.slot = upload->from.slot, .kind = SlotRule::Kind::source, .size = upload->from.size});
    }
  } else if (const auto* download = std::get_if<backend::Download>(&command.operation)) {
    if (download->to.slot != backend::no_slot) {
      rules.push_back({.slot = download->to.slot, .kind = SlotRule::Kind::target, .size = download->to.size});
    }
  }
}

std::uint64_t alignment_of(const backend::Argument& argument, const Limits& limits) {
  return std::max(
      {std::uint64_t{limits.offset_alignment}, bytes_of(argument.dtype), std::uint64_t{1} << argument.alignment_log2});
}

void add_argument_rule(const backend::Argument& argument, const Limits& limits, std::vector<SlotRule>& rules) {
  if (argument.kind == backend::Argument::Kind::scalar) {
    if (argument.slot == backend::no_slot) return;
    rules.push_back({.slot = argument.slot, .kind = SlotRule::Kind::scalar, .dtype = argument.dtype});
  } else if (argument.has_range() && argument.range.slot != backend::no_slot) {
    const bool is_bound = argument.kind == backend::Argument::Kind::buffer;
    rules.push_back({.slot = argument.range.slot,
                     .least = argument.range.size,
                     .most = is_bound ? limits.max_binding : 0,
                     .dtype = is_bound ? std::optional(argument.dtype) : std::nullopt,
                     .alignment = is_bound ? alignment_of(argument, limits) : 1});
  }
}

}  // namespace

std::vector<SlotRule> slot_rules(std::span<const backend::Command> commands,
                                 std::span<const backend::Argument> arguments, const Limits& limits) {
  std::vector<SlotRule> rules;
  for (const backend::Command& command : commands) add_operation_rules(command, rules);
  for (const backend::Argument& argument : arguments) add_argument_rule(argument, limits, rules);
  return rules;
}

std::vector<SlotCopy> slot_copies(std::span<const backend::Command> commands) {
  std::vector<SlotCopy> copies;
  for (const backend::Command& command : commands) {
    const auto* copy = std::get_if<backend::Copy>(&command.operation);
    if (copy == nullptr || (copy->to.slot == backend::no_slot && copy->from.slot == backend::no_slot)) continue;
    copies.push_back({copy->to, copy->from});
  }
  return copies;
}

std::vector<BufferUse> buffer_uses(std::span<const backend::Command> commands,
                                   std::span<const backend::Argument> arguments) {
  std::vector<BufferUse> uses;
  for (const backend::Command& command : commands) {
    kit::for_each_range(command, arguments, [&](const backend::Range& range, Access access) {
      if (range.slot == backend::no_slot) uses.push_back({range.buffer, access});
    });
  }
  const auto writes_last = [](const BufferUse& use) { return std::pair(use.buffer, writes(use.access)); };
  std::ranges::sort(uses, {}, writes_last);
  const auto last = std::ranges::unique(uses.rbegin(), uses.rend(), {}, &BufferUse::buffer).begin();
  uses.erase(uses.begin(), last.base());
  return uses;
}

std::vector<Access> slot_accesses(std::span<const backend::Command> commands,
                                  std::span<const backend::Argument> arguments, std::size_t slots) {
  std::vector<Access> accesses(slots, Access::read);
  for (const backend::Command& command : commands) {
    kit::for_each_range(command, arguments, [&](const backend::Range& range, Access access) {
      if (range.slot != backend::no_slot && writes(access)) accesses[range.slot] = Access::read_write;
    });
  }
  return accesses;
}

bool has_launches(std::span<const backend::Command> commands) noexcept {
  return std::ranges::any_of(commands, [](const backend::Command& command) {
    return std::holds_alternative<backend::Exec>(command.operation) ||
           std::holds_alternative<backend::ExecIndirect>(command.operation);
  });
}

Result<void> check_rule(const SlotRule& rule, const backend::Binding& binding, std::optional<DType> dtype) {
  if (kind_of(binding) != rule.kind) {
    return invalid(
        fmt::format("The binding is {}, where {} is declared.", kind_name(kind_of(binding)), kind_name(rule.kind)));
  }
  if (rule.dtype && dtype != rule.dtype) {
    return invalid(fmt::format("The binding's dtype ({}) is not the declared dtype ({}).",
                               dtype ? name(*dtype) : "none", name(*rule.dtype)));
  }
  if (rule.size != 0 && size_of(binding) != rule.size) {
    return invalid(fmt::format("The binding's size ({}) is not the size ({}) that the recording uses.",
                               size_of(binding), rule.size));
  }
  if (size_of(binding) < rule.least) {
    return invalid(fmt::format("The binding's size ({}) is less than the size ({}) that the kernel needs.",
                               size_of(binding), rule.least));
  }
  if (rule.most != 0 && size_of(binding) > rule.most) {
    return invalid(fmt::format("The binding's size ({}) is larger than the limit ({}).", size_of(binding), rule.most));
  }
  if (size_of(binding) % rule.multiple != 0) {
    return invalid(fmt::format("The binding's size ({}) is not a multiple of ({}).", size_of(binding), rule.multiple));
  }
  const auto* range = std::get_if<backend::Range>(&binding);
  if (range != nullptr && range->size == 0) return invalid("The binding's size is (0); the least is (1).");
  if (range != nullptr && range->offset % rule.alignment != 0) {
    return invalid(fmt::format("The binding's offset ({}) is not a multiple of ({}).", range->offset, rule.alignment));
  }
  return {};
}

Result<void> check_shape(const SlotShape& shape, std::span<const backend::Argument> arguments,
                         std::span<const backend::Binding> bindings) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t needed = shape.known;
  for (const std::size_t side : shape.sides) {
    const backend::Argument& argument = arguments[side];
    const backend::Scalar& value =
        argument.slot == backend::no_slot ? argument.scalar : std::get<backend::Scalar>(bindings[argument.slot]);
    const std::uint64_t size = base::whole_number({argument.dtype, value}).value_or(most);
    needed = base::checked_mul(needed, size).value_or(most);
  }
  const std::uint64_t size = bound(arguments[shape.buffer].range, bindings).size;
  if (size >= needed) return {};
  return invalid(fmt::format("The size ({}) of the buffer is less than the size ({}) that {} needs.", size, needed,
                             shape.parameter));
}

backend::Range bound(const backend::Range& range, std::span<const backend::Binding> bindings) {
  return range.slot == backend::no_slot ? range : std::get<backend::Range>(bindings[range.slot]);
}

bool overlap(const backend::Range& a, const backend::Range& b) noexcept {
  return a.buffer == b.buffer && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

void fill_slots(std::span<backend::Command> commands, std::span<backend::Argument> arguments,
                std::span<const backend::Binding> bindings) {
  for (backend::Argument& argument : arguments) {
    if (argument.kind == backend::Argument::Kind::scalar && argument.slot != backend::no_slot) {
      argument.scalar = std::get<backend::Scalar>(bindings[argument.slot]);
      argument.slot = backend::no_slot;
    }
  }
  for (backend::Command& command : commands) {
    kit::for_each_range(command, arguments, [&](backend::Range& range, Access) { range = bound(range, bindings); });
    if (auto* upload = std::get_if<backend::Upload>(&command.operation);
        upload && upload->from.slot != backend::no_slot) {
      upload->from = std::get<backend::HostSource>(bindings[upload->from.slot]);
    }
    if (auto* download = std::get_if<backend::Download>(&command.operation);
        download && download->to.slot != backend::no_slot) {
      download->to = std::get<backend::HostTarget>(bindings[download->to.slot]);
    }
  }
}

}  // namespace pintle::core
