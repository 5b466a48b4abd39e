#include "core/list/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "base/inside.h"
#include "core/door/object_names.h"
#include "core/program/program_state.h"
#include "pintle/program.h"

namespace pintle::core {
namespace {

Error invalid(std::string message) { return {Errc::invalid_argument, std::move(message)}; }

using Counts = std::array<std::uint64_t, 3>;

std::string text_of(const Counts& counts) { return fmt::format("({},{},{})", counts[0], counts[1], counts[2]); }

Counts items_of(const Cover& cover) noexcept { return {cover.x, cover.y, cover.z}; }

Counts counts_of(const Grid& grid) noexcept { return {grid.x, grid.y, grid.z}; }

/// Rounds up without a sum that could overflow.
std::uint64_t groups_for(std::uint64_t items, std::uint32_t group) noexcept {
  const std::uint64_t size = std::max<std::uint32_t>(group, 1);
  return items / size + (items % size == 0 ? 0 : 1);
}

Counts counts_of(const Cover& cover, const Grid& group_size) noexcept {
  return {groups_for(cover.x, group_size.x), groups_for(cover.y, group_size.y), groups_for(cover.z, group_size.z)};
}

Error empty_grid(const Extent& extent) {
  if (const auto* cover = std::get_if<Cover>(&extent)) {
    return invalid(fmt::format("Cover {} has no work-item; each count is at least 1.", text_of(items_of(*cover))));
  }
  return invalid(
      fmt::format("Grid {} has no work-group; each count is at least 1.", text_of(counts_of(std::get<Grid>(extent)))));
}

Error large_grid(const Extent& extent, const Counts& counts, const Counts& most) {
  std::string from;
  if (const auto* cover = std::get_if<Cover>(&extent)) {
    from = fmt::format(" that covers {} work-items", text_of(items_of(*cover)));
  }
  return invalid(
      fmt::format("Grid {}{} is larger than the limit {} of the device.", text_of(counts), from, text_of(most)));
}

backend::Exec* exec_of(backend::Command& command) noexcept {
  if (auto* indirect = std::get_if<backend::ExecIndirect>(&command.operation)) return &indirect->exec;
  return std::get_if<backend::Exec>(&command.operation);
}

Error wrong_count(const Entry& entry, std::size_t given) {
  return invalid(fmt::format("Argument count ({}) differs from the parameter count ({}) of {}: {}.", given,
                             entry.parameters.size(), kernel_text(entry), entry.signature()));
}

std::string text_of(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::scalar) {
    return fmt::format("parameter {} ({})", base::quote(parameter.name), name(parameter.dtype));
  }
  return fmt::format("parameter {} ({} {}[])", base::quote(parameter.name), name(parameter.access),
                     name(parameter.dtype));
}

}  // namespace

Result<Grid> groups_of(const Extent& extent, const Grid& group_size, const Limits& limits) {
  const auto* cover = std::get_if<Cover>(&extent);
  const Counts counts = cover != nullptr ? counts_of(*cover, group_size) : counts_of(std::get<Grid>(extent));
  const Counts most = counts_of(limits.max_grid);
  if (counts[0] == 0 || counts[1] == 0 || counts[2] == 0) return empty_grid(extent);
  if (counts[0] > most[0] || counts[1] > most[1] || counts[2] > most[2]) return large_grid(extent, counts, most);
  return Grid{static_cast<std::uint32_t>(counts[0]), static_cast<std::uint32_t>(counts[1]),
              static_cast<std::uint32_t>(counts[2])};
}

Result<void> check_slot(Slot slot) {
  if (slot.index < Slot::limit) return {};
  return invalid(fmt::format("Slot index ({}) is not below the limit ({}).", slot.index, Slot::limit));
}

Result<void> bind_slot(backend::Argument& bound, const Parameter& parameter, Slot slot) {
  bound.dtype = parameter.dtype;
  if (parameter.kind == Parameter::Kind::scalar) {
    bound.kind = backend::Argument::Kind::scalar;
    bound.slot = slot.index;
  } else {
    bound.access = parameter.access;
    bound.range.slot = slot.index;
  }
  return check_slot(slot);
}

Result<void> bind_scalar(backend::Argument& bound, const Parameter& parameter, const ScalarValue& scalar) {
  if (parameter.kind != Parameter::Kind::scalar) {
    return invalid(
        fmt::format("Argument is a scalar ({}) where {} is a buffer.", name(scalar.dtype), text_of(parameter)));
  }
  if (scalar.dtype != parameter.dtype) {
    return invalid(
        fmt::format("Dtype ({}) of the scalar differs from the dtype of {}.", name(scalar.dtype), text_of(parameter)));
  }
  bound.kind = backend::Argument::Kind::scalar;
  bound.dtype = scalar.dtype;
  bound.scalar = scalar.bytes;
  return {};
}

Result<void> bind_buffer(backend::Argument& bound, const Parameter& parameter, std::uint64_t incarnation, DType dtype,
                         const backend::Range& range, const Limits& limits) {
  if (parameter.kind != Parameter::Kind::buffer) {
    return invalid(fmt::format("Argument is {} ({}[]) where {} is a scalar.", buffer_text(incarnation, range.buffer),
                               name(dtype), text_of(parameter)));
  }
  if (dtype != parameter.dtype) {
    return invalid(fmt::format("Dtype ({}) of {} differs from the dtype of {}.", name(dtype),
                               buffer_text(incarnation, range.buffer), text_of(parameter)));
  }
  if (range.size > limits.max_binding) {
    return invalid(fmt::format("Binding size ({}) of {} is larger than the limit ({}) of the device.", range.size,
                               buffer_text(incarnation, range.buffer), limits.max_binding));
  }
  if (limits.offset_alignment > 1 && range.offset % limits.offset_alignment != 0) {
    return invalid(fmt::format("Offset ({}) into {} is no multiple of the alignment ({}) that the device needs.",
                               range.offset, buffer_text(incarnation, range.buffer), limits.offset_alignment));
  }
  bound.dtype = dtype;
  bound.access = parameter.access;
  bound.range = range;
  return {};
}

}  // namespace pintle::core

namespace pintle {

Result<void> CommandList::bind(backend::Argument& bound, const Parameter& parameter, const KernelArgument& argument,
                               const Limits& limits) {
  if (const auto* slot = std::get_if<Slot>(&Inside::value(argument))) {
    PINTLE_TRY(take_slot(*slot));
    return core::bind_slot(bound, parameter, *slot);
  }
  if (const auto* scalar = std::get_if<ScalarValue>(&Inside::value(argument)))
    return core::bind_scalar(bound, parameter, *scalar);
  const auto& view = std::get<BufferView>(Inside::value(argument));
  PINTLE_ASSIGN(range, this->range(view));
  return core::bind_buffer(bound, parameter, incarnation_, view.dtype(), range, limits);
}

Result<backend::Exec> CommandList::launch(const Kernel& kernel, const Extent& extent,
                                          std::span<const KernelArgument> arguments) {
  PINTLE_TRY(admit(kernel));
  core::ProgramState& program = *Inside::program(kernel);
  const Entry& entry = program.entries()[Inside::entry_index(kernel)];
  const std::size_t count = entry.parameters.size();
  if (arguments.size() != count) return core::wrong_count(entry, arguments.size());
  const auto groups = core::groups_of(extent, entry.group_size, program.limits());
  if (!groups) return groups.error().during("launching " + core::kernel_text(entry));
  const std::size_t first = arguments_.size();
  arguments_.resize(first + count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bound = bind(arguments_[first + i], entry.parameters[i], arguments[i], program.limits());
    if (!bound) return bound.error().during(fmt::format("validating argument {} of {}", i, core::kernel_text(entry)));
  }
  if (retained_.empty() || retained_.back().get() != &program) retained_.push_back(program.shared_from_this());
  return backend::Exec{program.id(), Inside::entry_index(kernel), static_cast<std::uint32_t>(first),
                       static_cast<std::uint32_t>(count), *groups};
}

Result<void> CommandList::use(const BufferArgument& buffer, Access access) {
  backend::Exec* exec = commands_.empty() ? nullptr : core::exec_of(commands_.back());
  if (exec == nullptr) {
    return Error(Errc::invalid_argument,
                 fmt::format("Access ({}) by address belongs to no launch: the command before is {}.", name(access),
                             commands_.empty() ? "none" : backend::name(commands_.back().operation)));
  }
  PINTLE_ASSIGN(range, this->range(buffer, 0));
  backend::Argument& used = arguments_.emplace_back();
  used.kind = backend::Argument::Kind::use;
  used.access = access;
  used.range = range;
  ++exec->argument_count;
  return {};
}

}  // namespace pintle
