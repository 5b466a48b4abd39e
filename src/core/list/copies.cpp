// Copies between two buffers, of one device or of two, and between a buffer and an image.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "base/bytes.h"
#include "core/door/describe.h"
#include "core/list/list_state.h"

namespace pintle::core {
namespace {

/// The size that the other side of a copy needs; 0 where a replay decides.
std::uint64_t size_of(const BufferArgument& argument) noexcept {
  const auto* view = std::get_if<BufferView>(&argument);
  return view == nullptr ? 0 : view->size_bytes();
}

Result<void> check_sizes(std::uint64_t to_incarnation, const backend::Range& to, std::uint64_t from_incarnation,
                         const backend::Range& from) {
  if (to.size == from.size) return {};
  return invalid(fmt::format("Size ({}) of the destination {} differs from the size ({}) of the source {}.", to.size,
                             buffer_text(to_incarnation, to.buffer), from.size,
                             buffer_text(from_incarnation, from.buffer)));
}

Result<void> check_copy(std::uint64_t incarnation, const backend::Range& to, const backend::Range& from) {
  if (to.slot != backend::no_slot || from.slot != backend::no_slot) {
    if (to.slot != from.slot) return {};
    return invalid(fmt::format("Copy has slot ({}) as its source and its destination.", to.slot));
  }
  PINTLE_TRY(check_sizes(incarnation, to, incarnation, from));
  if (to.buffer != from.buffer || to.offset >= from.offset + from.size || from.offset >= to.offset + to.size) return {};
  return invalid(fmt::format("Destination {} overlaps the source {} in {}.", span_text(to), span_text(from),
                             buffer_text(incarnation, to.buffer)));
}

/// Whether both sides are buffers, of two devices.
bool is_crossing(const BufferArgument& to, const BufferArgument& from) noexcept {
  const auto* const target = std::get_if<BufferView>(&to);
  const auto* const source = std::get_if<BufferView>(&from);
  if (target == nullptr || source == nullptr) return false;
  const std::uint64_t its = Inside::incarnation(*target), others = Inside::incarnation(*source);
  return its != 0 && others != 0 && its != others;
}

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

/// The part as a backend gets it, with every number filled in. `invalid_argument` where it does not lie in the image,
/// and for rows that overlap or do not begin at a texel.
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

}  // namespace

Result<void> ListState::copy(const BufferArgument& to, const BufferArgument& from) {
  if (is_crossing(to, from)) return cross(std::get<BufferView>(to), std::get<BufferView>(from));
  PINTLE_ASSIGN(target, range(to, size_of(from)));
  PINTLE_ASSIGN(source, range(from, size_of(to)));
  PINTLE_TRY(check_copy(incarnation, target, source));
  add(backend::Copy{target, source});
  return {};
}

Result<void> ListState::cross(const BufferView& to, const BufferView& from) {
  for (const BufferView& view : {to, from}) {
    if (view.size_bytes() == 0)
      return empty_window(buffer_text(Inside::incarnation(view), Inside::buffer(view)), view.offset_bytes());
  }
  PINTLE_TRY(check_sizes(Inside::incarnation(to), {.buffer = Inside::buffer(to), .size = to.size_bytes()},
                         Inside::incarnation(from), {.buffer = Inside::buffer(from), .size = from.size_bytes()}));
  crossings.push_back({commands.size(), to, from});
  add(backend::Copy{});  // keeps the place until it is known which side belongs to the queue's device
  return {};
}

Result<void> ListState::copy_image(const ImageView& image, const BufferArgument& buffer, const ImagePart& part,
                                   bool is_to_image) {
  PINTLE_ASSIGN(texels, range(image));
  PINTLE_ASSIGN(checked, transfer_of(image, part));
  const auto transfer = std::make_shared<const backend::ImageTransfer>(checked);
  const std::uint64_t needed = bytes_of(*transfer), texel = bytes_of(image.texel());
  PINTLE_ASSIGN(rows, range(buffer, needed));
  if (rows.size < needed || rows.offset % texel != 0) {
    return invalid(
        fmt::format("Window ({} bytes at offset {}) of {} has no room for the ({}) bytes of the part of {}, or "
                    "does not begin at a multiple of the texel ({} bytes).",
                    rows.size, rows.offset, buffer_text(incarnation, rows.buffer), needed, image_text(image), texel));
  }
  rows.size = needed;
  retained.push_back(transfer);
  if (is_to_image) add(backend::CopyImage{texels, rows, transfer.get(), true});
  else add(backend::CopyImage{rows, texels, transfer.get(), false});
  return {};
}

}  // namespace pintle::core
