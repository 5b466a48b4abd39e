// Texels as arguments: images, samplers and texel buffers.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/quote.h"
#include "base/signature.h"
#include "base/texel_support.h"
#include "core/door/describe.h"
#include "core/list/list_state.h"
#include "core/program/program_state.h"

namespace pintle::core {
namespace {

std::string type_of(const ImageView& view) {
  return fmt::format("image{}d {}", view.extent().dimensions(), name(view.texel()));
}

bool has_access(Access has, Access needed) noexcept {
  return (!writes(needed) || writes(has)) && (needed == Access::write || has != Access::write);
}

/// Checks that the image's dimensions, texel and access suit the parameter.
Result<void> check_image(const Parameter& parameter, const ImageView& view) {
  const bool has_sides = parameter.dimensions == view.extent().dimensions();
  if (!has_sides || (parameter.texel && parameter.texel != view.texel()))
    return invalid(fmt::format("{} is {} where parameter {} is {}.", image_text(view), type_of(view),
                               base::quote(parameter.name), base::type_text(parameter)));
  if (has_access(view.access(), parameter.access)) return {};
  return invalid(fmt::format("{} is made for ({}), and parameter {} is {}.", image_text(view), name(view.access()),
                             base::quote(parameter.name), base::type_text(parameter)));
}

Result<void> check_sampler(const Sampler& sampler, const ImageView* view) {
  const auto [filter, address, coordinates] = sampler;
  if (filter < Filter::nearest || filter > Filter::linear)
    return invalid(fmt::format("Filter ({}) does not exist.", static_cast<int>(filter)));
  if (address < Address::edge || address > Address::mirror)
    return invalid(fmt::format("Address ({}) does not exist.", static_cast<int>(address)));
  if (coordinates < Coordinates::normalized || coordinates > Coordinates::texels)
    return invalid(fmt::format("Coordinates ({}) are none that there are.", static_cast<int>(coordinates)));
  if (coordinates == Coordinates::texels && address > Address::border)
    return invalid("Sampler repeats over coordinates that count texels; only normalised ones repeat.");
  if (filter == Filter::nearest || view == nullptr || !is_integer(view->texel())) return {};
  return invalid(fmt::format("Filter (linear) has no meaning for the integers of texel {}.", name(view->texel())));
}

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

/// `linear` needs an image that is not of integers, where one is known.
Result<void> ListState::bind_sampler(backend::Argument& bound, const Sampler& sampler, const ImageView* view) {
  PINTLE_TRY(check_sampler(sampler, view));
  bound.set(sampler);
  return {};
}

Result<void> ListState::bind_image(backend::Argument& bound, const Parameter& parameter, const ImageView& view) {
  PINTLE_ASSIGN(range, this->range(view));
  PINTLE_TRY(check_image(parameter, view));
  bound.kind = parameter.is_sampled ? backend::Argument::Kind::sampled : backend::Argument::Kind::image;
  bound.dtype = parameter.dtype;
  bound.access = parameter.access;
  bound.range = range;
  return {};
}

/// `invalid_argument` where texel, size or offset do not suit the parameter or the device's limits; `unsupported` for a
/// texel that the device does not have.
Result<void> ListState::bind_texels(backend::Argument& bound, const Parameter& parameter, const TexelBuffer& texels,
                                    const ProgramState& program) {
  PINTLE_ASSIGN(range, this->range(texels.buffer));
  PINTLE_TRY(check_texel(parameter, texels.texel, program.buffer_texels()));
  PINTLE_TRY(check_place(range, texels.texel, program.limits(), incarnation));
  bound.kind = backend::Argument::Kind::texel_buffer;
  bound.dtype = parameter.dtype;
  bound.access = parameter.access;
  bound.range = range;
  bound.set(texels.texel);
  return {};
}

}  // namespace pintle::core
