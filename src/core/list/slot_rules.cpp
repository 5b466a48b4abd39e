#include "core/list/slot_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "base/constant.h"
#include "core/door/describe.h"
#include "kit/accesses.h"
#include "kit/bound.h"

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

// Outside launches the size is exact in most cases, and the operation says which alignment it needs.
void add_operation(SlotDemands& demands, const backend::Operation& operation) {
  const auto add = [&](const backend::Range& range, std::uint64_t alignment, Access access) {
    demands.add({.slot = range.slot, .size = range.size, .alignment = alignment}, access);
  };
  if (const auto* copy = std::get_if<backend::Copy>(&operation)) {
    add(copy->to, 1, Access::write);
    add(copy->from, 1, Access::read);
    const bool has_slot = copy->to.slot != backend::no_slot || copy->from.slot != backend::no_slot;
    if (has_slot) demands.copies.push_back({copy->to, copy->from});
  } else if (const auto* images = std::get_if<backend::CopyImage>(&operation)) {
    const backend::Range& buffer = images->is_to_image ? images->from : images->to;
    demands.add({.slot = buffer.slot, .least = buffer.size, .alignment = bytes_of(images->transfer->texel)},
                images->is_to_image ? Access::read : Access::write);
  } else if (const auto* fill = std::get_if<backend::Fill>(&operation)) {
    const std::uint32_t size = fill->pattern_size;
    demands.add({.slot = fill->to.slot, .multiple = size, .dtype = fill->dtype, .alignment = size}, Access::write);
  } else if (const auto* timestamp = std::get_if<backend::Timestamp>(&operation)) {
    add(timestamp->to, 8, Access::write);
  } else if (const auto* indirect = std::get_if<backend::ExecIndirect>(&operation)) {
    add(indirect->grid_at, 4, Access::read);
  } else if (const auto* upload = std::get_if<backend::Upload>(&operation)) {
    const backend::HostSource& from = upload->from;
    demands.add({.slot = from.slot, .kind = SlotRule::Kind::source, .size = from.size}, Access::read);
  } else if (const auto* download = std::get_if<backend::Download>(&operation)) {
    const backend::HostTarget& to = download->to;
    demands.add({.slot = to.slot, .kind = SlotRule::Kind::target, .size = to.size}, Access::read);
  }
}

std::uint64_t alignment_of(const backend::Argument& argument, const Limits& limits) {
  return std::max(
      {std::uint64_t{limits.offset_alignment}, bytes_of(argument.dtype), std::uint64_t{1} << argument.alignment_log2});
}

void add_argument(SlotDemands& demands, const backend::Argument& argument, const Limits& limits) {
  if (argument.kind == backend::Argument::Kind::scalar) {
    demands.add({.slot = argument.slot, .kind = SlotRule::Kind::scalar, .dtype = argument.dtype}, Access::read);
  } else if (argument.has_range()) {
    const bool is_bound = argument.kind == backend::Argument::Kind::buffer;
    demands.add({.slot = argument.range.slot,
                 .least = argument.range.size,
                 .most = is_bound ? limits.max_binding : 0,
                 .dtype = is_bound ? std::optional(argument.dtype) : std::nullopt,
                 .alignment = is_bound ? alignment_of(argument, limits) : 1},
                argument.access);
  }
}

}  // namespace

/// Nothing for a range or a value that is in no slot.
void SlotDemands::add(const SlotRule& rule, Access access) {
  if (rule.slot == backend::no_slot) return;
  rules.push_back(rule);
  accesses.resize(std::max<std::size_t>(accesses.size(), rule.slot + 1), Access::read);
  if (writes(access)) accesses[rule.slot] = Access::read_write;
}

SlotDemands slot_demands(std::span<const backend::Command> commands, std::span<const backend::Argument> arguments,
                         const Limits& limits) {
  SlotDemands demands;
  for (const backend::Command& command : commands) add_operation(demands, command.operation);
  for (const backend::Argument& argument : arguments) add_argument(demands, argument, limits);
  return demands;
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
  const backend::Range& range = arguments[shape.buffer].range;
  const std::uint64_t size = kit::bound(range, range.slot, bindings).size;
  if (size >= needed) return {};
  return invalid(fmt::format("The size ({}) of the buffer is less than the size ({}) that {} needs.", size, needed,
                             shape.parameter));
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
    kit::for_each_range(command, arguments,
                        [&](backend::Range& range, Access) { range = kit::bound(range, range.slot, bindings); });
    kit::for_each_host(command, [&](auto& host, Access) { host = kit::bound(host, host.slot, bindings); });
  }
}

}  // namespace pintle::core
