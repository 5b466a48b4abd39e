// Launches: how large one is, and its arguments bound to its parameters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/constant.h"
#include "base/inside.h"
#include "base/quote.h"
#include "base/signature.h"
#include "core/door/describe.h"
#include "core/life/life.h"
#include "core/list/list_state.h"
#include "core/program/program_state.h"
#include "kit/accesses.h"
#include "pintle/program.h"

namespace pintle::core {
namespace {

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

Error wrong_count(const Entry& entry, std::size_t given) {
  return invalid(fmt::format("Argument count ({}) differs from the parameter count ({}) of {}: {}.", given,
                             entry.parameters.size(), kernel_text(entry), entry.signature()));
}

Error wrong_kind(std::string_view argument, const Parameter& parameter) {
  return invalid(fmt::format("Argument is {} where {} is {}.", argument, parameter_text(parameter),
                             base::kind_text(parameter.kind)));
}

}  // namespace

Result<Grid> groups_of(const Extent& extent, const Grid& group_size, const Limits& limits) {
  const auto* cover = std::get_if<Cover>(&extent);
  const Grid& size = limits.max_grid == Grid{} ? limits.max_group : group_size;  // one group has all that is covered
  const Counts counts = cover != nullptr ? counts_of(*cover, size) : counts_of(std::get<Grid>(extent));
  const Counts most = counts_of(limits.max_grid);
  if (counts[0] == 0 || counts[1] == 0 || counts[2] == 0) return empty_grid(extent);
  if (counts[0] > most[0] || counts[1] > most[1] || counts[2] > most[2]) return large_grid(extent, counts, most);
  return Grid{static_cast<std::uint32_t>(counts[0]), static_cast<std::uint32_t>(counts[1]),
              static_cast<std::uint32_t>(counts[2])};
}

namespace {

Result<void> bind_slot(backend::Argument& bound, const Parameter& parameter, Slot slot) {
  bound.dtype = parameter.dtype;
  if (parameter.kind != Parameter::Kind::buffer && parameter.kind != Parameter::Kind::scalar)
    return wrong_kind(fmt::format("slot ({}), which a buffer or a scalar fills,", slot.index), parameter);
  if (parameter.kind == Parameter::Kind::scalar) {
    bound.kind = backend::Argument::Kind::scalar;
    bound.slot = slot.index;
  } else {
    bound.access = parameter.access;
    bound.alignment_log2 = static_cast<std::uint8_t>(std::countr_zero(parameter.alignment));
    bound.range.slot = slot.index;
  }
  return {};
}

/// Checks that kind and dtype match.
Result<void> bind_scalar(backend::Argument& bound, const Parameter& parameter, const ScalarValue& scalar) {
  if (parameter.kind != Parameter::Kind::scalar)
    return wrong_kind(fmt::format("a scalar ({})", name(scalar.dtype)), parameter);
  if (scalar.dtype != parameter.dtype) {
    return invalid(fmt::format("Dtype ({}) of the scalar differs from the dtype of {}.", name(scalar.dtype),
                               parameter_text(parameter)));
  }
  bound.kind = backend::Argument::Kind::scalar;
  bound.dtype = scalar.dtype;
  bound.scalar = scalar.bytes;
  return {};
}

/// Checks that so many bytes by value suit the parameter.
Result<void> check_value(const Parameter& parameter, std::uint64_t size) {
  if (parameter.kind != Parameter::Kind::value) return wrong_kind(fmt::format("({}) bytes by value", size), parameter);
  if (size == parameter.bytes) return {};
  return invalid(fmt::format("Size ({}) of the value differs from the size ({}) of {}.", size, parameter.bytes,
                             parameter_text(parameter)));
}

/// Checks the kind, and that the memory is within the device's limit.
Result<void> bind_local(backend::Argument& bound, const Parameter& parameter, Local local, const Limits& limits) {
  const std::uint64_t each = bytes_of(parameter.dtype);
  if (parameter.kind != Parameter::Kind::local)
    return wrong_kind(fmt::format("local memory ({} elements)", local.count), parameter);
  if (local.count == 0 || local.count > limits.max_local_bytes / each) {
    return invalid(fmt::format("Local memory of ({}) elements for {} is none, or larger than the limit ({} bytes).",
                               local.count, parameter_text(parameter), limits.max_local_bytes));
  }
  bound.kind = backend::Argument::Kind::local;
  bound.dtype = parameter.dtype;
  bound.range.size = local.count * each;
  return {};
}

/// What a shape asks for: the bytes that are known, and the scalars in slots that decide the rest.
SlotShape shape_of(const Entry& entry, std::size_t index, std::span<const backend::Argument> arguments) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const Parameter& parameter = entry.parameters[index];
  SlotShape shape{index, base::stride_of(parameter), {}, parameter_text(parameter)};
  for (const Side& side : parameter.shape) {
    std::uint64_t size = side.size;
    if (!side.scalar.empty()) {
      const auto found = std::ranges::find(entry.parameters, side.scalar, &Parameter::name);
      const auto place = static_cast<std::size_t>(found - entry.parameters.begin());
      if (arguments[place].slot != backend::no_slot) {
        shape.sides.push_back(place);
        continue;
      }
      size = base::whole_number({arguments[place].dtype, arguments[place].scalar}).value_or(most);
    }
    shape.known = base::checked_mul(shape.known, size).value_or(most);
  }
  return shape;
}

/// A shape that slots decide is looked at when they are bound; its places are those of the list then.
SlotShape moved(SlotShape shape, std::size_t first) {
  shape.buffer += first;
  for (std::size_t& side : shape.sides) side += first;
  return shape;
}

/// Checks what needs all arguments: shapes, and local memory in all. `first` is the place of the first argument in the
/// list. A buffer in a slot gets the size that its shape asks for; shapes that slots decide are added to `later`.
Result<void> check_launch(const Entry& entry, std::span<backend::Argument> arguments, std::size_t first,
                          std::vector<SlotShape>& later, std::uint64_t incarnation, const Limits& limits) {
  std::uint64_t local = entry.local_bytes;
  for (std::size_t index = 0; index < entry.parameters.size(); ++index) {
    const Parameter& parameter = entry.parameters[index];
    backend::Range& range = arguments[index].range;
    if (parameter.kind == Parameter::Kind::local) local += range.size;
    if (parameter.shape.empty() || arguments[index].kind == backend::Argument::Kind::null) continue;
    SlotShape shape = shape_of(entry, index, arguments);
    if (!shape.sides.empty()) {
      later.push_back(moved(std::move(shape), first));
    } else if (range.slot != backend::no_slot) {
      range.size = std::min(shape.known, limits.max_binding);
    } else if (range.size < shape.known) {
      return invalid(fmt::format("Size ({}) of {} is less than the size ({}) that {} needs.", range.size,
                                 buffer_text(incarnation, range.buffer), shape.known, shape.parameter));
    }
  }
  if (local <= limits.max_local_bytes) return {};
  return invalid(
      fmt::format("Local memory of a group ({} bytes) is larger than the limit ({}).", local, limits.max_local_bytes));
}

/// Checks that the signature and the device let a launch give no buffer.
Result<void> bind_null(backend::Argument& bound, const Parameter& parameter, const ProgramState& program) {
  if (!parameter.is_optional)
    return invalid(fmt::format("Argument is null where {} is {}, and the signature does not say optional.",
                               parameter_text(parameter), base::kind_text(parameter.kind)));
  if (const auto life = program.life()) {
    const Capability& row = life->info().capability(Feature::optional_buffers);
    if (row.support == Support::absent)
      return Error(Errc::unsupported, fmt::format("Argument for {} is null, which {} does not take ({}).",
                                                  parameter_text(parameter), life->text(), row.detail));
  }
  bound.kind = backend::Argument::Kind::null;
  bound.dtype = parameter.dtype;
  bound.access = parameter.access;
  return {};
}

/// Checks that kind and dtype match, and that size and offset suit the device.
Result<void> bind_buffer(backend::Argument& bound, const Parameter& parameter, std::uint64_t incarnation, DType dtype,
                         const backend::Range& range, const Limits& limits) {
  if (parameter.kind != Parameter::Kind::buffer)
    return wrong_kind(fmt::format("{} ({}[])", buffer_text(incarnation, range.buffer), name(dtype)), parameter);
  if (dtype != parameter.dtype) {
    return invalid(fmt::format("Dtype ({}) of {} differs from the dtype of {}.", name(dtype),
                               buffer_text(incarnation, range.buffer), parameter_text(parameter)));
  }
  if (range.size > limits.max_binding) {
    return invalid(fmt::format("Binding size ({}) of {} is larger than the limit ({}) of the device.", range.size,
                               buffer_text(incarnation, range.buffer), limits.max_binding));
  }
  if (limits.offset_alignment > 1 && range.offset % limits.offset_alignment != 0) {
    return invalid(fmt::format("Offset ({}) into {} is no multiple of the alignment ({}) that the device needs.",
                               range.offset, buffer_text(incarnation, range.buffer), limits.offset_alignment));
  }
  if (parameter.lanes == 3 && range.size % base::stride_of(parameter) != 0) {
    return invalid(fmt::format(
        "Size ({}) of {} is no multiple of the ({}) bytes from one vector to the next that {} needs.", range.size,
        buffer_text(incarnation, range.buffer), base::stride_of(parameter), parameter_text(parameter)));
  }
  if (range.offset % parameter.alignment != 0) {
    return invalid(fmt::format("Offset ({}) into {} is no multiple of the alignment ({}) that {} needs.", range.offset,
                               buffer_text(incarnation, range.buffer), parameter.alignment, parameter_text(parameter)));
  }
  bound.dtype = dtype;
  bound.access = parameter.access;
  bound.range = range;
  return {};
}

}  // namespace

Result<void> ListState::bind(backend::Argument& bound, const Parameter& parameter, const KernelArgument& argument,
                             const ProgramState& program) {
  if (const auto* slot = std::get_if<Slot>(&Inside::value(argument))) {
    PINTLE_TRY(take_slot(*slot));
    return bind_slot(bound, parameter, *slot);
  }
  if (const auto* scalar = std::get_if<ScalarValue>(&Inside::value(argument)))
    return bind_scalar(bound, parameter, *scalar);
  if (const auto* value = std::get_if<ByValue>(&Inside::value(argument))) return bind_value(bound, parameter, *value);
  if (const auto* local = std::get_if<Local>(&Inside::value(argument)))
    return bind_local(bound, parameter, *local, program.limits());
  if (const auto* image = std::get_if<ImageView>(&Inside::value(argument))) {
    if (parameter.kind != Parameter::Kind::image || parameter.is_sampled) return wrong_kind("an image", parameter);
    return bind_image(bound, parameter, *image);
  }
  if (const auto* sampled = std::get_if<SampledImage>(&Inside::value(argument))) {
    if (parameter.kind != Parameter::Kind::image || !parameter.is_sampled)
      return wrong_kind("an image with a sampler", parameter);
    PINTLE_TRY(bind_sampler(bound, sampled->sampler, &sampled->image));
    return bind_image(bound, parameter, sampled->image);
  }
  if (const auto* sampler = std::get_if<Sampler>(&Inside::value(argument))) {
    if (parameter.kind != Parameter::Kind::sampler) return wrong_kind("a sampler", parameter);
    bound.kind = backend::Argument::Kind::sampler;
    bound.dtype = parameter.dtype;
    return bind_sampler(bound, *sampler, nullptr);
  }
  if (const auto* texels = std::get_if<TexelBuffer>(&Inside::value(argument))) {
    if (parameter.kind != Parameter::Kind::texel_buffer) return wrong_kind("a texel buffer", parameter);
    return bind_texels(bound, parameter, *texels, program);
  }
  if (std::holds_alternative<std::nullptr_t>(Inside::value(argument))) return bind_null(bound, parameter, program);
  const auto& view = std::get<BufferView>(Inside::value(argument));
  PINTLE_ASSIGN(range, this->range(view));
  return bind_buffer(bound, parameter, incarnation, view.dtype(), range, program.limits());
}

/// The list keeps the bytes.
Result<void> ListState::bind_value(backend::Argument& bound, const Parameter& parameter, const ByValue& value) {
  PINTLE_TRY(check_value(parameter, value.bytes.size()));
  const auto kept = std::make_shared<const std::vector<std::byte>>(value.bytes.begin(), value.bytes.end());
  retained.push_back(kept);
  bound.kind = backend::Argument::Kind::value;
  bound.dtype = parameter.dtype;
  bound.range.size = kept->size();
  bound.value = kept->data();
  return {};
}

Result<backend::Exec> ListState::launch(const Kernel& kernel, const Extent& extent,
                                        std::span<const KernelArgument> values) {
  PINTLE_TRY(admit(kernel));
  ProgramState& program = *Inside::program(kernel);
  const Entry& entry = program.entries()[Inside::entry_index(kernel)];
  const std::size_t count = entry.parameters.size();
  if (values.size() != count) return wrong_count(entry, values.size());
  const auto groups = groups_of(extent, entry.group_size, program.limits());
  if (!groups) return groups.error().during("launching " + kernel_text(entry));
  const std::size_t first = arguments.size();
  arguments.resize(first + count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bound = bind(arguments[first + i], entry.parameters[i], values[i], program);
    if (!bound) return bound.error().during(fmt::format("validating argument {} of {}", i, kernel_text(entry)));
  }
  if (program.has_launch_rules(Inside::entry_index(kernel))) {
    const auto fits =
        check_launch(entry, std::span(arguments).subspan(first), first, slot_shapes, incarnation, program.limits());
    if (!fits) return fits.error().during("launching " + kernel_text(entry));
  }
  if (retained.empty() || retained.back().get() != &program) retained.push_back(program.shared_from_this());
  return backend::Exec{program.id(), Inside::entry_index(kernel), static_cast<std::uint32_t>(first),
                       static_cast<std::uint32_t>(count), *groups};
}

Result<void> ListState::use(const BufferArgument& buffer, Access access) {
  backend::Exec* exec = commands.empty() ? nullptr : kit::exec_of(commands.back());
  if (exec == nullptr) {
    return invalid(fmt::format("Access ({}) by address belongs to no launch: the command before is {}.", name(access),
                               commands.empty() ? "none" : backend::name(commands.back().operation)));
  }
  PINTLE_ASSIGN(range, this->range(buffer, 0));
  backend::Argument& used = arguments.emplace_back();
  used.kind = backend::Argument::Kind::use;
  used.access = access;
  used.range = range;
  ++exec->argument_count;
  return {};
}

}  // namespace pintle::core
