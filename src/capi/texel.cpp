// Texels: what they are, and which of them a device has.
#include "pintle/c/texel.h"

#include "capi/check.h"
#include "capi/device_values.h"
#include "capi/enter.h"
#include "capi/names.h"
#include "capi/objects.h"
#include "capi/structs.h"
#include "capi/with.h"
#include "pintle/c/image.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

static_assert(PINTLE_TEXEL_RGBA32F == static_cast<int>(Texel::rgba32f));
static_assert(PINTLE_CHANNEL_F32 == static_cast<int>(Channel::f32));
static_assert(PINTLE_FILTER_LINEAR == static_cast<int>(Filter::linear));
static_assert(PINTLE_ADDRESS_MIRROR == static_cast<int>(Address::mirror));
static_assert(PINTLE_COORDINATES_TEXELS == static_cast<int>(Coordinates::texels));

Result<Texel> texel_of(std::uint32_t number) { return enumerator(number, Texel::rgba32f, "texel"); }

}  // namespace

pintle_status pintle_texel_get_info(uint32_t texel, pintle_texel_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_texel_info"));
    PINTLE_ASSIGN(asked, texel_of(texel));
    out->channel = static_cast<std::uint32_t>(channel_of(asked));
    out->channels = channels_of(asked);
    out->bytes = bytes_of(asked);
    out->is_integer = is_integer(asked) ? 1 : 0;
    out->name = name(asked).data();
    return {};
  });
}

pintle_status pintle_texel_parse(const char* name, uint32_t* texel, pintle_error* error) {
  return enter(error, [&] { return answer_parsed(name, Texel::rgba32f, "texel", texel); });
}

pintle_status pintle_device_texel_support(pintle_device device, uint32_t texel, pintle_texel_support* support,
                                          pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_texel_support(its.info(), texel, support); });
}

pintle_status pintle_device_image_limits(pintle_device device, pintle_image_limits* limits, pintle_error* error) {
  return with(device, error, [&](const Device& its) { return answer_image_limits(its.info(), limits); });
}
