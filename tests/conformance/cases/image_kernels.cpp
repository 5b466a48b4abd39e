// Images in kernels: written, read by texels and through samplers, ordered, recorded, refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "conformance/image_reading.h"
#include "conformance/images.h"
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Floats = std::vector<float>;

bool takes(const Context& test, std::string_view format) {
  const auto& formats = test.info().formats;
  return std::ranges::find(formats, format) != formats.end();
}

/// A kernel from the first source that the device compiles.
Kernel kernel_of(const Context& test, std::span<const Source> sources, std::string_view signature) {
  test.require(Feature::images);
  test.require_bytes();
  const auto fits = [&](const Source& source) { return takes(test, source.format); };
  if (std::ranges::none_of(sources, fits)) test.not_applicable("the device compiles no source of this kernel");
  return need(test.device().load(need(pack_of(sources, std::array{signature}, "images")),
                                 signature.substr(0, signature.find('('))));
}

// Each texel tells where it is, and who wrote it.
constexpr std::string_view paint_signature = "paint(out: write image2d rgba8ui, base: u32) group 8,8";
constexpr std::array<Source, 3> paint_sources{{{"c", R"(
void paint(const pintle_group* group, const pintle_cpu_image* out, uint32_t base) {
  for (uint32_t j = 0; j < 8; ++j) for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t x = group->id[0] * 8 + i, y = group->id[1] * 8 + j;
    if (x >= out->width || y >= out->height) continue;
    uint8_t* at = (uint8_t*)out->texels + y * out->row_bytes + x * 4;
    at[0] = (uint8_t)x; at[1] = (uint8_t)y; at[2] = (uint8_t)base; at[3] = (uint8_t)(x + y);
  }
})"},
                                               {"opencl_c", R"(
kernel void paint(write_only image2d_t out, uint base) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < get_image_width(out) && y < get_image_height(out)) write_imageui(out, (int2)(x, y), (uint4)(x, y, base, x + y));
})"},
                                               {"glsl", R"(#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Values { uint base; };
layout(set = 0, binding = 0, rgba8ui) uniform writeonly uimage2D result;
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(at, imageSize(result)))) imageStore(result, at, uvec4(at, base, at.x + at.y));
})"}}};

// Each texel is its neighbour's, with 1 added.
constexpr std::string_view shift_signature = "shift(in: read image2d rgba8ui, out: write image2d rgba8ui) group 8,8";
constexpr std::array<Source, 3> shift_sources{{{"c", R"(
void shift(const pintle_group* group, const pintle_cpu_image* in, const pintle_cpu_image* out) {
  for (uint32_t j = 0; j < 8; ++j) for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t x = group->id[0] * 8 + i, y = group->id[1] * 8 + j;
    if (x >= out->width || y >= out->height) continue;
    const uint8_t* from = (const uint8_t*)in->texels + y * in->row_bytes + (x + 1) % in->width * 4;
    uint8_t* to = (uint8_t*)out->texels + y * out->row_bytes + x * 4;
    for (int c = 0; c < 4; ++c) to[c] = (uint8_t)(from[c] + 1);
  }
})"},
                                               {"opencl_c", R"(
kernel void shift(read_only image2d_t in, write_only image2d_t out) {
  const sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= get_image_width(out) || y >= get_image_height(out)) return;
  write_imageui(out, (int2)(x, y), (read_imageui(in, plain, (int2)((x + 1) % get_image_width(in), y)) + 1) & 255);
})"},
                                               {"glsl", R"(#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8ui) uniform readonly uimage2D from;
layout(set = 0, binding = 1, rgba8ui) uniform writeonly uimage2D result;
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(result);
  if (!all(lessThan(at, size))) return;
  imageStore(result, at, (imageLoad(from, ivec2((at.x + 1) % size.x, at.y)) + 1) & 255);
})"}}};

constexpr ImageExtent canvas{21, 13};  // no multiple of a group

Octets painted(std::uint32_t base, std::uint32_t shifts = 0) {
  Octets all;
  for (std::uint32_t y = 0; y < canvas.height; ++y) {
    for (std::uint32_t i = 0; i < canvas.width; ++i) {
      const std::uint32_t x = (i + shifts) % canvas.width;
      for (const std::uint32_t value : {x, y, base, x + y}) all.push_back(static_cast<std::uint8_t>(value + shifts));
    }
  }
  return all;
}

const Extent everywhere = Grid::cover(canvas.width, canvas.height);

DEVICE_TEST(Image, KernelsWriteIt) {
  require_texel(test, Texel::rgba8ui);
  const Kernel paint = kernel_of(test, paint_sources, paint_signature);
  Queue queue = test.queue();
  const Image out = make_image(test, canvas, Texel::rgba8ui);
  need(queue.submit(CommandList{}.exec(paint, everywhere, out, 77u)));
  CHECK_EQ(texels_of(test, queue, out), painted(77));
}

DEVICE_TEST(Image, OneKernelReadsWhatAnotherWrites) {
  require_texel(test, Texel::rgba8ui);
  const Kernel paint = kernel_of(test, paint_sources, paint_signature),
               shift = kernel_of(test, shift_sources, shift_signature);
  Queue queue = test.queue();
  const Image a = make_image(test, canvas, Texel::rgba8ui), b = make_image(test, canvas, Texel::rgba8ui);
  need(queue.submit(
      CommandList{}.exec(paint, everywhere, a, 5u).exec(shift, everywhere, a, b).exec(shift, everywhere, b, a)));
  CHECK_EQ(texels_of(test, queue, b), painted(5, 1));
  CHECK_EQ(texels_of(test, queue, a), painted(5, 2));
}

// Read after write, write after read and write after write, among copies and launches of one list.
DEVICE_TEST(Hazard, ImagesKeepTheOrderOfAList) {
  require_texel(test, Texel::rgba8ui);
  const Kernel paint = kernel_of(test, paint_sources, paint_signature),
               shift = kernel_of(test, shift_sources, shift_signature);
  Queue queue = test.queue();
  const Image a = make_image(test, canvas, Texel::rgba8ui), b = make_image(test, canvas, Texel::rgba8ui);
  const Octets given = painted(200);
  const Buffer from = test.buffer(given), first = test.buffer(Octets(given.size())),
               second = test.buffer(Octets(given.size()));
  need(queue.submit(CommandList{}
                        .exec(paint, everywhere, a, 1u)
                        .copy(a, from)                   // over what the kernel wrote
                        .exec(shift, everywhere, a, b)   // of what was copied
                        .exec(paint, everywhere, a, 9u)  // after it was read
                        .copy(first, b)
                        .exec(shift, everywhere, a, b)  // after it was copied
                        .copy(second, b)));
  CHECK_EQ(test.read<std::uint8_t>(queue, first), painted(200, 1));
  CHECK_EQ(test.read<std::uint8_t>(queue, second), painted(9, 1));
}

DEVICE_TEST(Recording, LaunchesWithImagesAreRecorded) {
  require_texel(test, Texel::rgba8ui);
  const Kernel paint = kernel_of(test, paint_sources, paint_signature),
               shift = kernel_of(test, shift_sources, shift_signature);
  Queue queue = test.queue();
  const Image a = make_image(test, canvas, Texel::rgba8ui), b = make_image(test, canvas, Texel::rgba8ui);
  const Recording recording = need(test.device().record(
      CommandList{}.exec(paint, everywhere, a, Slot{0}).exec(shift, everywhere, a, b).copy(Slot{1}, b)));
  for (std::uint32_t round = 1; round <= 3; ++round) {
    const Buffer to = test.buffer(Octets(painted(0).size()));
    need(queue.replay(recording, {round, to}));
    CHECK_EQ(test.read<std::uint8_t>(queue, to), painted(round, 1));
  }
}

// A kernel that holds its last argument must neither keep its memory nor use it.
DEVICE_TEST(Image, MayGoWhileItsLaunchRuns) {
  require_texel(test, Texel::rgba8ui);
  const Kernel paint = kernel_of(test, paint_sources, paint_signature);
  Queue queue = test.queue();
  for (std::uint32_t round = 0; round < 20; ++round) {
    const Buffer to = test.buffer(Octets(painted(0).size()));
    Signal gate = test.signal();
    {
      const Image out = make_image(test, canvas, Texel::rgba8ui);
      need(
          queue.submit(CommandList{}.exec(paint, everywhere, out, round).copy(to, out), {.after = {test.at(gate, 1)}}));
    }
    need(test.raise(gate, 1));
    CHECK_EQ(test.read<std::uint8_t>(queue, to), painted(round));
  }
}

// Floats become the nearest of 256 steps, and what is outside of [0, 1] the ends.
constexpr std::string_view tone_signature = "tone(in: read f32[], out: write image2d rgba8) group 16";
constexpr std::array<Source, 2> tone_sources{{{"opencl_c", R"(
kernel void tone(global const float* in, write_only image2d_t out) {
  const int x = get_global_id(0);
  if (x < get_image_width(out)) write_imagef(out, (int2)(x, 0), vload4(x, in));
})"},
                                              {"glsl", R"(#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer In { vec4 values[]; };
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D result;
void main() {
  const int x = int(gl_GlobalInvocationID.x);
  if (x < imageSize(result).x) imageStore(result, ivec2(x, 0), values[x]);
})"}}};

DEVICE_TEST(Image, FloatsBecomeTheNearestStep) {
  require_texel(test, Texel::rgba8);
  const Kernel tone = kernel_of(test, tone_sources, tone_signature);
  Queue queue = test.queue();
  Floats values;
  Octets wanted;
  for (int step = 0; step < 256; ++step) {
    values.push_back((static_cast<float>(step) + (step % 3 == 0 ? 0.25f : -0.25f)) / 255);
    wanted.push_back(static_cast<std::uint8_t>(step));
  }
  for (const auto& [value, octet] : {std::pair{-1.0f, 0}, {2.0f, 255}, {INFINITY, 255}, {-INFINITY, 0}}) {
    values.push_back(value);
    wanted.push_back(static_cast<std::uint8_t>(octet));
  }
  const auto width = static_cast<std::uint32_t>(values.size() / 4);
  const Image out = make_image(test, {width, 1}, Texel::rgba8);
  need(queue.submit(CommandList{}.exec(tone, Grid::cover(width), test.buffer(values), out)));
  CHECK_EQ(texels_of(test, queue, out), wanted);
}

constexpr std::string_view stack_signature =
    "stack(in: read image3d r32f, out: write image3d r32f, add: f32) group 4,4,4";
constexpr std::array<Source, 3> stack_sources{{{"c", R"(
void stack(const pintle_group* group, const pintle_cpu_image* in, const pintle_cpu_image* out, float add) {
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t x = group->id[0] * 4 + i % 4, y = group->id[1] * 4 + i / 4 % 4, z = group->id[2] * 4 + i / 16;
    if (x >= out->width || y >= out->height || z >= out->depth) continue;
    const uint64_t at = z * out->slice_bytes + y * out->row_bytes + x * 4;
    *(float*)((char*)out->texels + at) = *(const float*)((const char*)in->texels + at) + add;
  }
})"},
                                               {"opencl_c", R"(
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
kernel void stack(read_only image3d_t in, write_only image3d_t out, float add) {
  const sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
  const int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
  if (at.x >= get_image_width(out) || at.y >= get_image_height(out) || at.z >= get_image_depth(out)) return;
  write_imagef(out, at, read_imagef(in, plain, at) + add);
})"},
                                               {"glsl", R"(#version 450
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(push_constant) uniform Values { float add; };
layout(set = 0, binding = 0, r32f) uniform readonly image3D from;
layout(set = 0, binding = 1, r32f) uniform writeonly image3D result;
void main() {
  const ivec3 at = ivec3(gl_GlobalInvocationID);
  if (all(lessThan(at, imageSize(result)))) imageStore(result, at, imageLoad(from, at) + add);
})"}}};

DEVICE_TEST(Image, HasThreeDimensions) {
  require_texel(test, Texel::r32f);
  const Kernel stack = kernel_of(test, stack_sources, stack_signature);
  Queue queue = test.queue();
  constexpr ImageExtent extent{5, 6, 7};
  const Image a = make_image(test, extent, Texel::r32f), b = make_image(test, extent, Texel::r32f);
  const Floats given = ramp<float>(5 * 6 * 7);
  const Buffer from = test.buffer(given), to = test.buffer(Floats(given.size()));
  need(queue.submit(CommandList{}
                        .copy(a, from)
                        .exec(stack, Grid::cover(5, 6, 7), a, b, 1000.0f)
                        .exec(stack, Grid::cover(5, 6, 7), b, a, 0.5f)
                        .copy(to, a)));
  CHECK_EQ(test.read<float>(queue, to), ramp<float>(given.size(), 1000.5f));
}

// Reads through a sampler, and leaves four floats for each place.
constexpr std::string_view look_signature =
    "look(in: read image2d, s: sampler, at: read f32[], out: write f32[], n: u32) group 64";
constexpr std::array<Source, 2> look_sources{{{"opencl_c", R"(
kernel void look(read_only image2d_t in, sampler_t s, global const float* at, global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) vstore4(read_imagef(in, s, (float2)(at[4 * i], at[4 * i + 1])), i, out);
})"},
                                              {"glsl", R"(#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Values { uint n; };
layout(set = 0, binding = 0) uniform texture2D from;
layout(set = 0, binding = 1) uniform sampler s;
layout(set = 0, binding = 2) readonly buffer At { vec4 at[]; };
layout(set = 0, binding = 3) writeonly buffer Out { vec4 result[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) result[i] = textureLod(sampler2D(from, s), at[i].xy, 0.0);
})"}}};
constexpr std::string_view look3_signature =
    "look3(in: read image3d, s: sampler, at: read f32[], out: write f32[], n: u32) group 64";
constexpr std::array<Source, 2> look3_sources{{{"opencl_c", R"(
kernel void look3(read_only image3d_t in, sampler_t s, global const float* at, global float* out, uint n) {
  const uint i = get_global_id(0);
  if (i < n) vstore4(read_imagef(in, s, vload4(i, at)), i, out);
})"},
                                               {"glsl", R"(#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Values { uint n; };
layout(set = 0, binding = 0) uniform texture3D from;
layout(set = 0, binding = 1) uniform sampler s;
layout(set = 0, binding = 2) readonly buffer At { vec4 at[]; };
layout(set = 0, binding = 3) writeonly buffer Out { vec4 result[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) result[i] = textureLod(sampler3D(from, s), at[i].xyz, 0.0);
})"}}};

/// Every sampler that the image may be read through.
std::vector<Sampler> samplers_for(const TexelSupport& support, const ImageExtent& extent) {
  std::vector<Sampler> all;
  for (const Filter filter : {Filter::nearest, Filter::linear}) {
    for (const Address address : {Address::edge, Address::border, Address::repeat, Address::mirror}) {
      for (const Coordinates coordinates : {Coordinates::normalized, Coordinates::texels}) {
        const bool counts = coordinates == Coordinates::texels;  // Vulkan counts texels in two dimensions only
        if (counts && (address == Address::repeat || address == Address::mirror || extent.depth != 0)) continue;
        if (filter == Filter::nearest || support.is_filtered) all.push_back({filter, address, coordinates});
      }
    }
  }
  return all;
}

std::string text_of(const Sampler& sampler) {
  return "filter " + std::to_string(static_cast<int>(sampler.filter)) + ", address " +
         std::to_string(static_cast<int>(sampler.address)) + ", coordinates " +
         std::to_string(static_cast<int>(sampler.coordinates));
}

/// Reads one image everywhere through one sampler, beside the oracle.
void check_reads(Context& test, Queue& queue, const Kernel& look, const HostImage& host, const Image& image,
                 const Sampler& sampler) {
  const Floats places = places_in(host.extent, sampler);
  const auto count = static_cast<std::uint32_t>(places.size() / 4);
  const Buffer at = test.buffer(places), out = test.buffer(Floats(places.size()));
  need(queue.submit(CommandList{}.exec(look, Grid::cover(count), image, sampler, at, out, count)));
  const Floats seen = test.read<float>(queue, out);
  const double tolerance = tolerance_of(host.texel, sampler);
  for (std::size_t i = 0; i < count; ++i) {
    const auto wanted = read_of(host, sampler, std::span(places).subspan(4 * i).first<3>());
    for (std::size_t c = 0; c < channels_of(host.texel); ++c) {
      if (std::abs(seen[4 * i + c] - wanted[c]) <= tolerance) continue;
      return record_failure(std::string(name(host.texel)) + ", " + text_of(sampler) + ", at (" +
                                std::to_string(places[4 * i]) + ", " + std::to_string(places[4 * i + 1]) + ", " +
                                std::to_string(places[4 * i + 2]) + "): channel " + std::to_string(c) + " is " +
                                std::to_string(seen[4 * i + c]) + " instead of " + std::to_string(wanted[c]),
                            std::source_location::current());
    }
  }
}

/// Each kind of channel that is no integer, in each number of channels that the device has.
void check_samplers(Context& test, const Kernel& look, const ImageExtent& extent) {
  Queue queue = test.queue();
  for (const TexelSupport& support : test.info().texels) {
    if (is_integer(support.texel) || support.access == Access::write) continue;
    const HostImage host = host_image(extent, support.texel);
    const Image image = make_image(test, extent, support.texel, Access::read);
    put(test, queue, image, host.bytes);
    for (const Sampler& sampler : samplers_for(support, extent)) check_reads(test, queue, look, host, image, sampler);
  }
}

DEVICE_TEST(Image, SamplersReadTwoDimensions) {
  const Kernel look = kernel_of(test, look_sources, look_signature);
  check_samplers(test, look, {8, 4});
  check_samplers(test, look, {5, 7});
}

DEVICE_TEST(Image, SamplersReadThreeDimensions) {
  const Kernel look = kernel_of(test, look3_sources, look3_signature);
  check_samplers(test, look, {4, 8, 2});
  check_samplers(test, look, {5, 3, 6});
}

// Arguments of the wrong kind never reach a driver.
DEVICE_TEST(Error, ArgumentsThatAreNoSuchImageAreRefused) {
  require_texel(test, Texel::rgba8ui);
  const Kernel shift = kernel_of(test, shift_sources, shift_signature);
  Queue queue = test.queue();
  const Image right = make_image(test, {8, 8}, Texel::rgba8ui),
              read_only = make_image(test, {8, 8}, Texel::rgba8ui, Access::read);
  const Buffer buffer = test.allocate(DType::u8, 256);
  const auto refused = [&](const KernelArgument& in, const KernelArgument& out,
                           std::initializer_list<std::string_view> words) {
    check_error(queue.submit(CommandList{}.exec(shift, Grid{1}, in, out)), Errc::invalid_argument, words);
  };
  refused(right, read_only, {"(read)", "\"out\"", "write image2d rgba8ui"});
  refused(right, buffer, {"an image", "\"out\""});
  refused(right, Sampler{}, {"a sampler", "\"out\""});
  refused(right, 7u, {"scalar", "\"out\""});
  refused(Slot{0}, right, {"slot (0)", "\"in\""});
  refused(SampledImage{right, {}}, right, {"an image with a sampler", "\"in\""});
  if (support_of(test, Texel::rgba8) != nullptr)
    refused(make_image(test, {8, 8}, Texel::rgba8), right, {"image2d rgba8 ", "rgba8ui", "\"in\""});
  if (test.info().limits.max_image_3d != 0)
    refused(make_image(test, {8, 8, 2}, Texel::rgba8ui), right, {"image3d", "image2d", "\"in\""});
  const Kernel affine = test.kernel("affine");
  check_error(queue.submit(CommandList{}.exec(affine, Grid{1}, right, 1u, 1u, 1u)), Errc::invalid_argument,
              {"an image", "\"x\""});
}

DEVICE_TEST(Error, SamplersThatCannotBeAreRefused) {
  const Kernel look = kernel_of(test, look_sources, look_signature);
  require_texel(test, Texel::rgba8);
  Queue queue = test.queue();
  const Image image = make_image(test, {8, 8}, Texel::rgba8);
  const Buffer floats = test.buffer(Floats(256));
  const auto refused = [&](const KernelArgument& sampler, std::initializer_list<std::string_view> words) {
    check_error(queue.submit(CommandList{}.exec(look, Grid{1}, image, sampler, floats, floats, 0u)),
                Errc::invalid_argument, words);
  };
  refused(Sampler{Filter{7}}, {"Filter (7)"});
  refused(Sampler{.address = Address{0}}, {"Address (0)"});
  refused(Sampler{.coordinates = Coordinates{3}}, {"Coordinates (3)"});
  refused(Sampler{.address = Address::repeat, .coordinates = Coordinates::texels}, {"repeats"});
  refused(image, {"an image", "\"s\""});
  refused(1.0f, {"scalar", "\"s\""});
}

/// Loads a source whose signature says something else.
void check_refusal(Context& test, std::span<const Source> sources, std::string_view signature,
                   std::initializer_list<std::string_view> words) {
  check_error(test.device().load(need(pack_of(sources, std::array{signature}, "images"))), Errc::build_failed, words);
}

void check_shaders(Context& test) {
  const auto shift = std::span(shift_sources).last(1);
  check_refusal(test, shift, "shift(in: write image2d, out: write image2d) group 8,8",
                {"only reads", "\"in\"", "(write)"});
  check_refusal(test, shift, "shift(in: read image2d, out: read image2d) group 8,8",
                {"only writes", "\"out\"", "(read)"});
  check_refusal(test, shift, "shift(in: read image3d, out: write image2d) group 8,8", {"image2d rgba8ui", "image3d"});
  check_refusal(test, shift, "shift(in: read image2d r32f, out: write image2d) group 8,8", {"image2d rgba8ui", "r32f"});
  check_refusal(test, shift, "shift(in: read u8[], out: write image2d) group 8,8", {"storage image", "in"});
  check_refusal(test, shift, "shift(in: read image2d sampled, out: write image2d) group 8,8",
                {"storage image", "sampled"});
  check_refusal(test, shift, "shift(in: read image2d, out: sampler) group 8,8", {"storage image", "sampler"});
}

void check_opencl_c(Context& test) {
  const auto shift = std::span(shift_sources).subspan(1, 1), look = std::span(look_sources).first(1);
  check_refusal(test, shift, "shift(in: write image2d, out: write image2d)", {"image2d", "in"});
  check_refusal(test, shift, "shift(in: read image2d, out: read image2d)", {"image2d", "out"});
  check_refusal(test, shift, "shift(in: read image3d, out: write image2d)", {"image2d_t", "image3d"});
  check_refusal(test, shift, "shift(in: read u8[], out: write image2d)", {"image2d_t", "in"});
  check_refusal(test, shift, "shift(in: read image2d sampled, out: write image2d)", {"sampled"});
  check_refusal(test, shift, "shift(in: read image2d, out: sampler)", {"image2d_t", "sampler"});
  check_refusal(test, look, "look(in: read image2d, s: u64, at: read f32[], out: write f32[], n: u32)", {"sampler_t"});
  check_refusal(test, look, "look(in: read image2d, s: sampler, at: read image2d, out: write f32[], n: u32)",
                {"float", "at", "image2d"});
}

DEVICE_TEST(Error, SignaturesThatDeclareOtherImagesAreRefused) {
  test.require(Feature::images);
  test.require_bytes();
  const bool has_shaders = takes(test, "glsl"), has_opencl_c = takes(test, "opencl_c");
  if (!has_shaders && !has_opencl_c) test.not_applicable("the device compiles neither GLSL nor OpenCL C");
  if (has_shaders) check_shaders(test);
  if (has_opencl_c) check_opencl_c(test);
}

}  // namespace
}  // namespace pintle::conformance
