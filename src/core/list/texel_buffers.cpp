#include "core/list/texel_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/texel_support.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/program/program_state.h"

namespace pintle::core {
namespace {

Result<void> check_texel(const Parameter& parameter, Texel texel, std::span<const TexelSupport> texels) {
  if (!is_texel(texel))
    return invalid(fmt::format("Texel ({}) is none of {}.", static_cast<int>(texel), texel_names()));
  if (parameter.texel && parameter.texel != texel)
    return invalid(fmt::format("Texel ({}) differs from the texel of {}.", name(texel), parameter_text(parameter)));
  if (base::has_texel(texels, texel, parameter.access)) return {};
  return Error(Errc::unsupported,
               fmt::format("Device has no texel buffers of {} for access ({}); it has {}.", name(texel),
                           name(parameter.access), base::texels_for(texels, parameter.access)));
}

Result<void> check_place(const backend::Range& range, Texel texel, const Limits& limits, std::uint64_t incarnation) {
  const std::uint64_t each = bytes_of(texel);
  const std::uint64_t alignment = std::max<std::uint64_t>({each, limits.texel_alignment, limits.offset_alignment});
  if (range.size == 0 || range.size % each != 0)
    return invalid(fmt::format("Size ({}) of {} is no whole number of texels {} ({} bytes each).", range.size,
                               buffer_text(incarnation, range.buffer), name(texel), each));
  if (range.size / each > limits.max_texel_buffer)
    return invalid(fmt::format("Count ({}) of texels in {} is larger than the limit ({}) of the device.",
                               range.size / each, buffer_text(incarnation, range.buffer), limits.max_texel_buffer));
  if (range.offset % alignment == 0) return {};
  return invalid(fmt::format("Offset ({}) into {} is no multiple of the alignment ({}) that texels {} need.",
                             range.offset, buffer_text(incarnation, range.buffer), alignment, name(texel)));
}

}  // namespace

Result<void> bind_texels(backend::Argument& bound, const Parameter& parameter, std::uint64_t incarnation,
                         const backend::Range& range, Texel texel, const ProgramState& program) {
  PINTLE_TRY(check_texel(parameter, texel, program.buffer_texels()));
  PINTLE_TRY(check_place(range, texel, program.limits(), incarnation));
  bound.kind = backend::Argument::Kind::texel_buffer;
  bound.dtype = parameter.dtype;
  bound.access = parameter.access;
  bound.range = range;
  bound.set(texel);
  return {};
}

}  // namespace pintle::core
