#include "core/list/images.h"

#include <fmt/format.h>

#include <array>

#include "base/bytes.h"
#include "base/inside.h"
#include "base/quote.h"
#include "base/signature.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/list/list_state.h"

namespace pintle::core {
namespace {

struct Row {
  char axis;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t side;
};

/// Where the part is empty of numbers, it is what is left of the image.
ImageExtent extent_of(const ImageView& view, const ImagePart& part) noexcept {
  const ImageExtent& all = view.extent();
  if (part.extent != ImageExtent{} || part.x > all.width || part.y > all.height || part.z > all.slices())
    return part.extent;
  return {all.width - part.x, all.height - part.y, all.depth == 0 ? 0 : all.depth - part.z};
}

Result<void> check_place(const ImageView& view, const ImagePart& part) {
  const ImageExtent& all = view.extent();
  if (part.extent.depth != 0 && all.depth == 0)
    return invalid(fmt::format("Depth ({}) of the part: {} has two dimensions.", part.extent.depth, image_text(view)));
  const std::array<Row, 3> rows{{{'x', part.x, part.extent.width, all.width},
                                 {'y', part.y, part.extent.height, all.height},
                                 {'z', part.z, part.extent.slices(), all.slices()}}};
  for (const auto& [axis, first, count, side] : rows) {
    if (count != 0 && base::range_fits(first, count, side)) continue;
    return invalid(fmt::format("Part of ({}) texels from ({}) along {} does not lie in the ({}) of {}.", count, first,
                               axis, side, image_text(view)));
  }
  return {};
}

/// `bytes` is 0 for `least`, and else a multiple of `unit` that has room for `least`.
Result<std::uint64_t> pitch(std::string_view what, std::uint64_t bytes, std::uint64_t least, std::uint64_t unit) {
  if (bytes == 0) return least;
  if (bytes >= least && bytes % unit == 0 && bytes <= (std::uint64_t{1} << 48)) return bytes;
  return invalid(
      fmt::format("Distance ({} bytes) of {} is no multiple of ({}) of at least ({}).", bytes, what, unit, least));
}

std::string type_of(const ImageView& view) {
  return fmt::format("image{}d {}", view.extent().dimensions(), name(view.texel()));
}

bool has_access(Access has, Access needed) noexcept {
  return (!writes(needed) || writes(has)) && (needed == Access::write || has != Access::write);
}

}  // namespace

std::string image_text(const ImageView& view) { return buffer_text(Inside::incarnation(view), Inside::buffer(view)); }

Result<backend::ImageTransfer> transfer_of(const ImageView& view, const ImagePart& part) {
  backend::ImageTransfer transfer{part, view.texel()};
  ImagePart& whole = transfer.part;
  whole.extent = extent_of(view, part);
  PINTLE_TRY(check_place(view, whole));
  const std::uint64_t texel = bytes_of(view.texel());
  PINTLE_ASSIGN(row, pitch("rows", part.row_bytes, whole.extent.width * texel, texel));
  PINTLE_ASSIGN(slice, pitch("slices", part.slice_bytes, whole.extent.height * row, row));
  whole.row_bytes = row;
  whole.slice_bytes = slice;
  return transfer;
}

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

Result<backend::Range> ListState::range(const ImageView& view) {
  if (Inside::incarnation(view) == 0) return empty_object("ImageView");
  PINTLE_TRY(admit(Inside::incarnation(view), Inside::buffer(view)));
  return backend::Range{backend::MemoryId::none, Inside::buffer(view), 0, view.size_bytes(), backend::no_slot};
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

}  // namespace pintle::core
