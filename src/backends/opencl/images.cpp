#include "backends/opencl/images.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/opencl/texels.h"
#include "base/quote.h"
#include "base/signature.h"

namespace pintle::opencl {
namespace {

cl_mem_flags flags_of(Access access) noexcept {
  switch (access) {
    case Access::read: return CL_MEM_READ_ONLY;
    case Access::write: return CL_MEM_WRITE_ONLY;
    case Access::read_write: break;
  }
  return CL_MEM_READ_WRITE;
}

Owned<cl_mem> make(cl_context context, const backend::ImageRequest& request, cl_int& status) {
  const cl_image_format format = format_of(request.texel);
  cl_image_desc shape{};
  shape.image_type = request.extent.depth == 0 ? CL_MEM_OBJECT_IMAGE2D : CL_MEM_OBJECT_IMAGE3D;
  shape.image_width = request.extent.width;
  shape.image_height = request.extent.height;
  shape.image_depth = request.extent.slices();
  return Owned<cl_mem>(api().clCreateImage(context, flags_of(request.access), &format, &shape, nullptr, &status));
}

cl_addressing_mode addressing_of(Address address) noexcept {
  switch (address) {
    case Address::border: return CL_ADDRESS_CLAMP;
    case Address::repeat: return CL_ADDRESS_REPEAT;
    case Address::mirror: return CL_ADDRESS_MIRRORED_REPEAT;
    case Address::edge: break;
  }
  return CL_ADDRESS_CLAMP_TO_EDGE;
}

Error too_many(const Entry& entry, std::string_view what, std::uint32_t count, std::uint32_t most,
               const FoundDevice& found) {
  return {Errc::unsupported, fmt::format("Entry {} has ({}) {}, more than the limit ({}) of [{}].",
                                         base::quote(entry.name), count, what, most, found.info.id)};
}

}  // namespace

Result<void> check_images(const Entry& entry, const FoundDevice& found) {
  std::uint32_t read = 0, written = 0, samplers = 0;
  for (const Parameter& parameter : entry.parameters) {
    if (parameter.is_sampled)
      return Error(Errc::unsupported,
                   fmt::format("Entry {} is declared with the parameter {} ({}); OpenCL C has an image and its sampler "
                               "as two parameters.",
                               base::quote(entry.name), base::quote(parameter.name), base::type_text(parameter)));
    const bool is_image = parameter.kind == Parameter::Kind::image || parameter.kind == Parameter::Kind::texel_buffer;
    read += is_image && parameter.access == Access::read ? 1 : 0;
    written += is_image && parameter.access != Access::read ? 1 : 0;
    samplers += parameter.kind == Parameter::Kind::sampler ? 1 : 0;
  }
  const auto most = [&](cl_device_info what) { return device_value<cl_uint>(found.device, what); };
  if (read != 0 && read > most(CL_DEVICE_MAX_READ_IMAGE_ARGS))
    return too_many(entry, "images that it reads", read, most(CL_DEVICE_MAX_READ_IMAGE_ARGS), found);
  if (written != 0 && written > most(CL_DEVICE_MAX_WRITE_IMAGE_ARGS))
    return too_many(entry, "images that it writes", written, most(CL_DEVICE_MAX_WRITE_IMAGE_ARGS), found);
  if (samplers != 0 && samplers > most(CL_DEVICE_MAX_SAMPLERS))
    return too_many(entry, "samplers", samplers, most(CL_DEVICE_MAX_SAMPLERS), found);
  return {};
}

Result<Owned<cl_mem>> Images::create(const backend::MemoryRequest& request) const {
  cl_int status = CL_SUCCESS;
  Owned<cl_mem> image = make(context_, *request.image, status);
  if (status == CL_SUCCESS) return image;
  const auto& [width, height, depth] = request.image->extent;
  return failure(status, fmt::format("OpenCL makes no image of ({}, {}, {}) texels of {} for [Image \"{}\"].", width,
                                     height, depth, name(request.image->texel), request.label));
}

Result<Owned<cl_mem>> Images::over(cl_mem buffer, std::uint64_t size, Texel texel, Access access) const {
  const cl_image_format format = format_of(texel);
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  shape.image_width = size / bytes_of(texel);
  shape.buffer = buffer;
  cl_int status = CL_SUCCESS;
  Owned<cl_mem> image(api().clCreateImage(context_, flags_of(access), &format, &shape, nullptr, &status));
  if (status == CL_SUCCESS) return image;
  return failure(status, fmt::format("OpenCL makes no image of ({}) texels of {} over a buffer of ({} bytes).",
                                     shape.image_width, name(texel), size));
}

Result<Owned<cl_mem>> Images::make_stand_in(std::uint32_t dimensions) {
  cl_int status = CL_SUCCESS;
  if (dimensions == 1) {
    under_.reset(api().clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes_of(Texel::rgba8), nullptr, &status));
    PINTLE_TRY(check(status, "clCreateBuffer"));
    return over(under_.get(), bytes_of(Texel::rgba8), Texel::rgba8, Access::read_write);
  }
  Owned<cl_mem> image = make(context_, {{1, 1, dimensions == 3 ? 1U : 0U}, Texel::rgba8, Access::read_write}, status);
  PINTLE_TRY(check(status, "clCreateImage"));
  return image;
}

Result<cl_mem> Images::stand_in(std::uint32_t dimensions) {
  const std::lock_guard lock(mutex_);
  Owned<cl_mem>& made = stand_ins_[dimensions - 1];
  if (made != nullptr) return made.get();
  PINTLE_ASSIGN(image, make_stand_in(dimensions));
  made = std::move(image);
  return made.get();
}

Result<cl_sampler> Images::sampler(const Sampler& sampler) {
  const std::lock_guard lock(mutex_);
  Owned<cl_sampler>& made = samplers_[{sampler.filter, sampler.address, sampler.coordinates}];
  if (made != nullptr) return made.get();
  cl_int status = CL_SUCCESS;
  Owned<cl_sampler> object(api().clCreateSampler(
      context_, sampler.coordinates == Coordinates::normalized ? CL_TRUE : CL_FALSE, addressing_of(sampler.address),
      sampler.filter == Filter::linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &status));
  PINTLE_TRY(check(status, "clCreateSampler"));
  made = std::move(object);
  return made.get();
}

}  // namespace pintle::opencl
