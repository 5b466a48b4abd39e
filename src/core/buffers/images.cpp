// Images among the buffers of a device.
#include "pintle/image.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/inside.h"
#include "base/texel_support.h"
#include "base/timeout.h"
#include "core/buffers/buffer_table.h"
#include "core/door/describe.h"
#include "core/door/door.h"

namespace pintle {
namespace core {
namespace {

std::string text_of(const ImageExtent& extent) {
  return extent.depth == 0 ? fmt::format("({}, {})", extent.width, extent.height)
                           : fmt::format("({}, {}, {})", extent.width, extent.height, extent.depth);
}

}  // namespace

Result<void> BufferTable::check_image(const ImageExtent& extent, Texel texel, Access access) const {
  const DeviceInfo& info = life_.info();
  if (access != Access::read && access != Access::write && access != Access::read_write)
    return invalid(fmt::format("Access ({}) does not exist.", static_cast<int>(access)));
  if (!is_texel(texel))
    return invalid(fmt::format("Texel ({}) is none of {}.", static_cast<int>(texel), texel_names()));
  const Capability& images = info.capability(Feature::images);
  if (images.support == Support::absent)
    return Error(Errc::unsupported, fmt::format("{} has no images: {}.", life_.text(), images.detail));
  const std::uint32_t most = extent.depth == 0 ? info.limits.max_image_2d : info.limits.max_image_3d;
  if (std::max({extent.width, extent.height, extent.slices()}) > most || extent.width == 0 || extent.height == 0)
    return invalid(fmt::format("Extent {} of the image has a side of 0, or one beyond the limit ({}) of {}.",
                               text_of(extent), most, life_.text()));
  if (base::has_texel(info.texels, texel, access)) return {};
  return Error(Errc::unsupported, fmt::format("{} has no images of texel {} for access ({}); it has {}.", life_.text(),
                                              name(texel), name(access), base::texels_for(info.texels, access)));
}

Result<Image> BufferTable::image(const ImageExtent& extent, Texel texel, const ImageOptions& options) {
  PINTLE_TRY(life_.usable());
  PINTLE_TRY(check_image(extent, texel, options.access));
  PINTLE_TRY(base::check(options.timeout));
  const backend::ImageRequest wanted{extent, texel, options.access};
  const std::uint64_t size = Inside::make<ImageView>(0U, 0U, extent, texel, options.access).size_bytes();
  if (size > life_.info().limits.max_allocation)
    return invalid(fmt::format("Size ({}) of the image is larger than the largest allocation ({}) of {}.", size,
                               life_.info().limits.max_allocation, life_.text()));
  PINTLE_ASSIGN(memory, allocate_memory({size, 1, Placement::device, options.label, &wanted}, options.timeout));
  Unowned unowned(life_, memory);
  BufferRecord record;
  record.memory = memory;
  record.size = size;
  record.label = options.label;
  record.is_image = true;
  const Locked locked = life_.lock();
  const std::uint64_t id = records_.insert(std::move(record));
  gone_kind_ = "Buffer or Image";
  static_cast<void>(unowned.take());
  count_held(locked);
  return Inside::make<Image>(*this, Inside::make<ImageView>(life_.number(), id, extent, texel, options.access));
}

}  // namespace core

std::uint64_t Inside::incarnation(const ImageView& view) noexcept { return view.incarnation_; }
std::uint64_t Inside::buffer(const ImageView& view) noexcept { return view.buffer_; }

void Image::destroy() noexcept {
  if (table_ != nullptr) std::exchange(table_, nullptr)->destroy(Inside::buffer(view_));
}

std::string Image::text() const noexcept {
  return core::enter_or(table_, std::string("[Image]"), [&] { return table_->text(Inside::buffer(view_)); });
}

}  // namespace pintle
