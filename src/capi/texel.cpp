// Texels: what they are, and which of them a device has.
#include <fmt/format.h>
#include <algorithm>

#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "pintle/c/image.h"
#include "pintle/c/texel.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

static_assert(PINTLE_TEXEL_RGBA32F == static_cast<int>(Texel::rgba32f));
static_assert(PINTLE_CHANNEL_F32 == static_cast<int>(Channel::f32));
static_assert(PINTLE_FILTER_LINEAR == static_cast<int>(Filter::linear));
static_assert(PINTLE_ADDRESS_MIRROR == static_cast<int>(Address::mirror));
static_assert(PINTLE_COORDINATES_TEXELS == static_cast<int>(Coordinates::texels));

Result<Texel> texel_of(std::uint32_t number) { return enumerator(number, Texel::rgba32f, "texel"); }

/// Null where the device does not have the texel.
const TexelSupport* find(std::span<const TexelSupport> texels, Texel texel) noexcept {
  const auto found = std::ranges::find(texels, texel, &TexelSupport::texel);
  return found == texels.end() ? nullptr : &*found;
}

std::uint32_t access_of(const TexelSupport* support) noexcept {
  return support == nullptr ? 0 : static_cast<std::uint32_t>(support->access);
}

}  // namespace

pintle_status pintle_texel_get_info(uint32_t texel, pintle_texel_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(writable(info, "pintle_texel_info"));
    PINTLE_ASSIGN(asked, texel_of(texel));
    info->channel = static_cast<std::uint32_t>(channel_of(asked));
    info->channels = channels_of(asked);
    info->bytes = bytes_of(asked);
    info->is_integer = is_integer(asked) ? 1 : 0;
    info->name = name(asked).data();
    return {};
  });
}

pintle_status pintle_texel_parse(const char* name, uint32_t* texel, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(name, "name"));
    PINTLE_TRY(given(texel, "texel"));
    const std::optional<Texel> found = parse_texel(name);
    if (!found) return Error(Errc::not_found, fmt::format("The text ({}) is no texel: {}.", name, texel_names()));
    *texel = static_cast<std::uint32_t>(*found);
    return {};
  });
}

pintle_status pintle_device_texel_support(pintle_device device, uint32_t texel, pintle_texel_support* support,
                                          pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(writable(support, "pintle_texel_support"));
    PINTLE_ASSIGN(asked, texel_of(texel));
    PINTLE_ASSIGN(its, use(device));
    const DeviceInfo& info = its->info();
    const TexelSupport* const image = find(info.texels, asked);
    support->image_access = access_of(image);
    support->is_filtered = image != nullptr && image->is_filtered ? 1 : 0;
    support->buffer_access = access_of(find(info.buffer_texels, asked));
    return {};
  });
}

pintle_status pintle_device_image_limits(pintle_device device, pintle_image_limits* limits, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(writable(limits, "pintle_image_limits"));
    PINTLE_ASSIGN(its, use(device));
    const Limits& known = its->info().limits;
    limits->max_image_2d = known.max_image_2d;
    limits->max_image_3d = known.max_image_3d;
    limits->max_texel_buffer = known.max_texel_buffer;
    limits->texel_alignment = known.texel_alignment;
    return {};
  });
}
