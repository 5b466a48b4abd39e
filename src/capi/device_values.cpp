#include "capi/device_values.h"

#include <algorithm>
#include <span>

#include "capi/structs.h"

namespace pintle::capi {
namespace {

constexpr Feature last_feature = Feature::optional_buffers;

/// Null where the device does not have the texel.
const TexelSupport* find(std::span<const TexelSupport> texels, Texel texel) noexcept {
  const auto found = std::ranges::find(texels, texel, &TexelSupport::texel);
  return found == texels.end() ? nullptr : &*found;
}

std::uint32_t access_of(const TexelSupport* support) noexcept {
  return support == nullptr ? 0 : static_cast<std::uint32_t>(support->access);
}

}  // namespace

Result<void> answer_text(const std::vector<std::string>& all, const char* what, std::size_t index, const char** out) {
  PINTLE_TRY(given(out, "name"));
  PINTLE_TRY(within(index, all.size(), what));
  *out = all[index].c_str();
  return {};
}

Result<void> answer_absent_format(const DeviceInfo& info, std::size_t index, pintle_absent_format* format) {
  PINTLE_ASSIGN(out, writable(format, "pintle_absent_format"));
  PINTLE_TRY(within(index, info.absent_formats.size(), "absent format"));
  const AbsentFormat& found = info.absent_formats[index];
  out->format = found.format.c_str();
  out->reason = found.reason.c_str();
  return {};
}

Result<void> answer_capability(const DeviceInfo& info, std::uint32_t feature, pintle_capability* capability) {
  PINTLE_ASSIGN(out, writable(capability, "pintle_capability"));
  PINTLE_ASSIGN(asked, enumerator(feature, last_feature, "feature"));
  const Capability& found = info.capability(asked);
  out->support = static_cast<std::uint32_t>(found.support);
  out->detail = found.detail.c_str();
  return {};
}

Result<void> answer_capabilities(const DeviceInfo& info, pintle_capability* first, std::size_t room,
                                 std::size_t* count) {
  constexpr auto all = static_cast<std::uint32_t>(last_feature);
  PINTLE_TRY(given(count, "count"));
  if (room > 0) PINTLE_TRY(writable(first, "pintle_capability"));
  for (std::uint32_t feature = 1; feature <= std::min<std::size_t>(room, all); ++feature) {
    pintle_capability* const one = element(first, feature - 1);
    one->size = first->size;
    PINTLE_TRY(answer_capability(info, feature, one));
  }
  *count = all;
  return {};
}

Result<void> answer_texel_support(const DeviceInfo& info, std::uint32_t texel, pintle_texel_support* support) {
  PINTLE_ASSIGN(out, writable(support, "pintle_texel_support"));
  PINTLE_ASSIGN(asked, enumerator(texel, Texel::rgba32f, "texel"));
  const TexelSupport* const image = find(info.texels, asked);
  out->image_access = access_of(image);
  out->is_filtered = image != nullptr && image->is_filtered ? 1 : 0;
  out->buffer_access = access_of(find(info.buffer_texels, asked));
  return {};
}

Result<void> answer_image_limits(const DeviceInfo& info, pintle_image_limits* limits) {
  PINTLE_ASSIGN(out, writable(limits, "pintle_image_limits"));
  out->max_image_2d = info.limits.max_image_2d;
  out->max_image_3d = info.limits.max_image_3d;
  out->max_texel_buffer = info.limits.max_texel_buffer;
  out->texel_alignment = info.limits.texel_alignment;
  return {};
}

}  // namespace pintle::capi
