#include "backends/opencl/texels.h"

#include <algorithm>
#include <array>

#include "kit/all_texels.h"

namespace pintle::opencl {
namespace {

using Formats = std::vector<cl_image_format>;

bool has(const Formats& formats, Texel texel) {
  const cl_image_format wanted = format_of(texel);
  return std::ranges::any_of(formats, [&](const cl_image_format& format) {
    return format.image_channel_order == wanted.image_channel_order &&
           format.image_channel_data_type == wanted.image_channel_data_type;
  });
}

/// The formats that images of the type may have; empty where the driver tells none.
Formats formats_of(cl_context context, cl_mem_flags flags, cl_mem_object_type type) {
  cl_uint count = 0;
  if (api().clGetSupportedImageFormats(context, flags, type, 0, nullptr, &count) != CL_SUCCESS) return {};
  Formats formats(count);
  if (api().clGetSupportedImageFormats(context, flags, type, count, formats.data(), nullptr) != CL_SUCCESS) return {};
  return formats;
}

bool is_promised(Texel texel) noexcept {
  const Channel channel = channel_of(texel);
  return channels_of(texel) == 4 && channel != Channel::snorm8 && channel != Channel::snorm16;
}

}  // namespace

cl_image_format format_of(Texel texel) noexcept {
  constexpr std::array<cl_channel_type, 12> types{
      CL_UNORM_INT8,     CL_SNORM_INT8,   CL_UNSIGNED_INT8,  CL_SIGNED_INT8,  CL_UNORM_INT16, CL_SNORM_INT16,
      CL_UNSIGNED_INT16, CL_SIGNED_INT16, CL_UNSIGNED_INT32, CL_SIGNED_INT32, CL_HALF_FLOAT,  CL_FLOAT};
  static_assert(types.size() == static_cast<std::size_t>(Channel::f32) + 1);
  const std::uint32_t channels = channels_of(texel);
  return {static_cast<cl_channel_order>(channels == 1   ? CL_R
                                        : channels == 2 ? CL_RG
                                                        : CL_RGBA),
          types[static_cast<std::size_t>(channel_of(texel))]};
}

std::vector<TexelSupport> promised_texels(cl_mem_object_type type) {
  std::vector<TexelSupport> texels;
  kit::for_each_texel([&](Texel texel) {
    const bool is_filtered = type != CL_MEM_OBJECT_IMAGE1D_BUFFER && !is_integer(texel);
    if (is_promised(texel)) texels.push_back({texel, Access::read_write, is_filtered});
  });
  return texels;
}

std::vector<TexelSupport> texels_of(cl_context context, cl_mem_object_type type) {
  const Formats both = formats_of(context, CL_MEM_READ_WRITE, type),
                readable = formats_of(context, CL_MEM_READ_ONLY, type),
                writable = formats_of(context, CL_MEM_WRITE_ONLY, type);
  std::vector<TexelSupport> texels;
  kit::for_each_texel([&](Texel texel) {
    const bool is_filtered = type != CL_MEM_OBJECT_IMAGE1D_BUFFER && !is_integer(texel);
    if (has(both, texel)) return texels.push_back({texel, Access::read_write, is_filtered});
    if (has(readable, texel)) texels.push_back({texel, Access::read, is_filtered});
    if (has(writable, texel)) texels.push_back({texel, Access::write, false});
  });
  return texels;
}

}  // namespace pintle::opencl
