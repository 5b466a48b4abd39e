// Images and samplers in OpenCL C: every texel, every question, samplers of the source and of the caller; against
// values on the host and, where it is there and has the texel, against PoCL.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "rig.h"

namespace pintle::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Texel> all_texels() {
  std::vector<Texel> all;
  for (auto texel = Texel::r8; is_texel(texel); texel = static_cast<Texel>(static_cast<int>(texel) + 1))
    all.push_back(texel);
  return all;
}

/// "f", "i" or "ui": which functions read and write the texel.
std::string suffix(Texel texel) {
  const Channel channel = channel_of(texel);
  if (!is_integer(texel)) return "f";
  return channel == Channel::u8 || channel == Channel::u16 || channel == Channel::u32 ? "ui" : "i";
}

/// A device and what a test does with it.
class Bench {
 public:
  explicit Bench(Device device) : device_(std::move(device)), queue_(must(device_.create_queue())) {}

  [[nodiscard]] bool has(Texel texel) const {
    const auto& texels = device_.info().texels;
    return std::ranges::find(texels, texel, &TexelSupport::texel) != texels.end();
  }
  [[nodiscard]] Kernel kernel(std::string_view source, std::string_view signature) {
    const std::string_view signatures[] = {signature};
    return must(device_.load(must(ProgramPack::source("opencl_c", source, signatures)),
                             signature.substr(0, signature.find('('))));
  }
  [[nodiscard]] Image image(const ImageExtent& extent, Texel texel, const Bytes& bytes) {
    Image made = must(device_.create_image(extent, texel));
    Buffer rows = buffer(bytes);
    must(must(queue_.submit(CommandList{}.copy(made, rows))).wait());
    return made;
  }
  template <class T>
  [[nodiscard]] Buffer buffer(const std::vector<T>& values) {
    Buffer made = must(device_.allocate_for(values));
    must(must(queue_.submit(CommandList{}.upload(made, values))).wait());
    return made;
  }
  [[nodiscard]] Bytes bytes_of(const Image& image) {
    Buffer rows = buffer(Bytes(image.size_bytes()));
    must(queue_.submit(CommandList{}.copy(rows, image)));
    return must(read<std::uint8_t>(queue_, rows));
  }
  Queue& queue() noexcept { return queue_; }
  /// OpenCL says 1; PoCL 3.1 gives 0 for a whole number in one channel.
  [[nodiscard]] bool has_alpha_of(Texel texel) const {
    return device_.info().id == "cpu" || !is_integer(texel) || channels_of(texel) > 1;
  }

 private:
  Device device_;
  Queue queue_;
};

std::vector<Bench> benches() {
  std::vector<Bench> all;
  all.emplace_back(device_of("cpu"));
  if (auto pocl = device_if_there("opencl:pocl")) all.emplace_back(*std::move(pocl));
  return all;
}

/// What is stored in one channel, and what a kernel reads of it.
struct Stored {
  std::uint32_t bits;
  double value;
};

float half_value(std::uint32_t bits) {
  const float size = std::ldexp(static_cast<float>(1024 + (bits & 1023)), static_cast<int>(bits >> 10 & 31) - 25);
  return (bits & 0x8000) == 0 ? size : -size;
}

/// Every step of a byte, and many of wider channels. The least of normalised integers is left out: it means -1 too.
Stored stored(Channel channel, std::uint32_t step) {
  const auto i8 = static_cast<std::int8_t>(step % 255 - 127);
  const auto i16 = static_cast<std::int16_t>(step * 331 % 65535 - 32767);
  const std::uint32_t u8 = step % 256, u16 = step * 331 % 65536, word = step * 2654435761u;
  switch (channel) {
    case Channel::unorm8: return {u8, u8 / 255.0};
    case Channel::snorm8: return {static_cast<std::uint8_t>(i8), i8 / 127.0};
    case Channel::u8: return {u8, static_cast<double>(u8)};
    case Channel::i8: return {static_cast<std::uint8_t>(i8), static_cast<double>(i8)};
    case Channel::unorm16: return {u16, u16 / 65535.0};
    case Channel::snorm16: return {static_cast<std::uint16_t>(i16), i16 / 32767.0};
    case Channel::u16: return {u16, static_cast<double>(u16)};
    case Channel::i16: return {static_cast<std::uint16_t>(i16), static_cast<double>(i16)};
    case Channel::u32: return {word, static_cast<double>(word)};
    case Channel::i32: return {word, static_cast<double>(static_cast<std::int32_t>(word))};
    case Channel::f16: {
      const std::uint32_t bits = (step % 2 << 15) | (1 + step % 30) << 10 | step * 7 % 1024;
      return {bits, half_value(bits)};
    }
    case Channel::f32: break;
  }
  const float value = (static_cast<float>(step) - 100.3f) * 1.7f;
  return {std::bit_cast<std::uint32_t>(value), value};
}

constexpr ImageExtent extent{37, 11};

struct Filled {
  Bytes bytes;
  std::vector<double> values;  // four for each texel
};

Filled fill(Texel texel) {
  Filled all;
  const std::uint32_t channels = channels_of(texel), bytes = bytes_of(channel_of(texel));
  for (std::uint32_t i = 0; i < extent.width * extent.height; ++i) {
    for (std::uint32_t c = 0; c < 4; ++c) {
      if (c >= channels) {
        all.values.push_back(c == 3 ? 1 : 0);
        continue;
      }
      const Stored one = stored(channel_of(texel), i * channels + c);
      all.values.push_back(one.value);
      for (std::uint32_t b = 0; b < bytes; ++b) all.bytes.push_back(static_cast<std::uint8_t>(one.bits >> 8 * b));
    }
  }
  return all;
}

/// Reads each texel and writes it again, and leaves what it has read.
std::string copy_source(const std::string& kind) {
  return "kernel void copy(read_only image2d_t in, write_only image2d_t out, global uint* seen) {\n"
         "  const sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
         "  const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
         "  if (at.x >= get_image_width(in) || at.y >= get_image_height(in)) return;\n"
         "  const size_t i = at.y * get_image_width(in) + at.x;\n"
         "  const size_t half_way = get_image_width(in) / 2;\n"
         "  " +
         std::string(kind == "f"   ? "float4"
                     : kind == "i" ? "int4"
                                   : "uint4") +
         " v = read_image" + kind + "(in, plain, at);\n  vstore4(as_uint4(v), i, seen);\n  write_image" + kind +
         "(out, at, v);\n}";
}

double value_of(std::uint32_t word, const std::string& kind) {
  if (kind == "f") return std::bit_cast<float>(word);
  return kind == "i" ? static_cast<double>(std::bit_cast<std::int32_t>(word)) : static_cast<double>(word);
}

void check_copy(Bench& bench, Texel texel, const std::string& declared) {
  const std::string kind = suffix(texel);
  const Kernel copy = bench.kernel(copy_source(kind), "copy(in: read image2d" + declared + ", out: write image2d" +
                                                          declared + ", seen: write u32[]) group 16,4");
  const Filled filled = fill(texel);
  const Image in = bench.image(extent, texel, filled.bytes),
              out = bench.image(extent, texel, Bytes(filled.bytes.size()));
  const Buffer seen = bench.buffer(std::vector<std::uint32_t>(filled.values.size()));
  must(bench.queue().submit(CommandList{}.exec(copy, Grid::cover(extent.width, extent.height), in, out, seen)));
  const auto words = must(read<std::uint32_t>(bench.queue(), seen));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % 4 == 3 && !bench.has_alpha_of(texel)) continue;
    const double value = value_of(words[i], kind);
    ASSERT_NEAR(value, filled.values[i], kind == "f" ? std::abs(filled.values[i]) * 3e-7 : 0) << i;
  }
  EXPECT_EQ(bench.bytes_of(out), filled.bytes);
}

TEST(OpenClCImages, EveryTexelIsReadAndWritten) {
  for (Bench& bench : benches()) {
    for (const Texel texel : all_texels()) {
      if (!bench.has(texel)) continue;
      SCOPED_TRACE(name(texel));
      check_copy(bench, texel, "");
    }
  }
}

// The code for one texel, which the signature says.
TEST(OpenClCImages, DeclaredTexelsAreReadAndWritten) {
  Bench cpu(device_of("cpu"));
  for (const Texel texel : all_texels()) {
    SCOPED_TRACE(name(texel));
    check_copy(cpu, texel, " " + std::string(name(texel)));
  }
}

constexpr std::string_view questions = R"(
kernel void ask(read_only image2d_t a, write_only image3d_t b, global int* out) {
  const int2 flat = get_image_dim(a);
  const int4 deep = get_image_dim(b);
  const int all[] = {get_image_width(a), get_image_height(a), flat.x, flat.y, get_image_channel_order(a),
                     get_image_channel_data_type(a), get_image_width(b), get_image_height(b), get_image_depth(b),
                     deep.x, deep.y, deep.z, deep.w, get_image_channel_order(b), get_image_channel_data_type(b),
                     CLK_UNORM_INT8, CLK_RG, CLK_FLOAT, CLK_R};
  for (int i = 0; i < 19; ++i) out[i] = all[i];
})";

TEST(OpenClCImages, QuestionsAreAnswered) {
  Bench cpu(device_of("cpu"));
  const Kernel ask = cpu.kernel(questions, "ask(a: read image2d, b: write image3d, out: write i32[]) group 1");
  const Image a = cpu.image({7, 5}, Texel::rg8, Bytes(70)), b = cpu.image({4, 3, 2}, Texel::r32f, Bytes(96));
  const Buffer out = cpu.buffer(std::vector<std::int32_t>(19));
  must(cpu.queue().submit(CommandList{}.exec(ask, Grid{1}, a, b, out)));
  const auto told = must(read<std::int32_t>(cpu.queue(), out));
  const std::int32_t unorm8 = told[15], rg = told[16], f32 = told[17], r = told[18];
  EXPECT_EQ(std::vector(told.begin(), told.begin() + 15),
            (std::vector<std::int32_t>{7, 5, 7, 5, rg, unorm8, 4, 3, 2, 4, 3, 2, 0, r, f32}));
}

struct SamplerText {
  Sampler sampler;
  std::string text;
};

/// Samplers as the source and as the caller has them.
std::vector<SamplerText> samplers() {
  std::vector<SamplerText> all;
  for (const auto& [filter, filter_text] :
       {std::pair{Filter::nearest, "CLK_FILTER_NEAREST"}, {Filter::linear, "CLK_FILTER_LINEAR"}}) {
    for (const auto& [address, address_text] : {std::pair{Address::edge, "CLK_ADDRESS_CLAMP_TO_EDGE"},
                                                {Address::border, "CLK_ADDRESS_CLAMP"},
                                                {Address::repeat, "CLK_ADDRESS_REPEAT"},
                                                {Address::mirror, "CLK_ADDRESS_MIRRORED_REPEAT"}}) {
      const std::string text = std::string(filter_text) + " | " + address_text + " | CLK_NORMALIZED_COORDS_";
      all.push_back({{filter, address, Coordinates::normalized}, text + "TRUE"});
      if (address == Address::edge || address == Address::border)
        all.push_back({{filter, address, Coordinates::texels}, text + "FALSE"});
    }
  }
  return all;
}

std::string look_source(const std::string& sampler) {
  return "constant sampler_t own = " + sampler +
         ";\n"
         "kernel void look(read_only image2d_t in, sampler_t given, global const float* at, global float* a, global "
         "float* b) {\n"
         "  const size_t i = get_global_id(0);\n"
         "  const float2 place = vload2(i, at);\n"
         "  vstore4(read_imagef(in, own, place), i, a);\n  vstore4(read_imagef(in, given, place), i, b);\n}";
}

// The oracle of what a sampler reads is the conformance suite's; here the three ways to the same code must agree.
TEST(OpenClCImages, SamplersOfTheSourceAndOfTheCallerReadTheSame) {
  Bench cpu(device_of("cpu"));
  const Image in = cpu.image(extent, Texel::rgba8, fill(Texel::rgba8).bytes);
  for (const auto& [sampler, text] : samplers()) {
    SCOPED_TRACE(text);
    std::vector<float> at;
    for (int i = 0; i < 1024; ++i) {
      const float scale = sampler.coordinates == Coordinates::texels ? 37.0f : 1.0f;
      at.push_back((static_cast<float>(i * 37 % 300) / 100 - 1) * scale);
      at.push_back((static_cast<float>(i * 53 % 300) / 100 - 1) * scale);
    }
    const Buffer places = cpu.buffer(at);
    std::vector<std::vector<float>> seen;
    for (const std::string declared : {"", " rgba8"}) {
      const Kernel look = cpu.kernel(look_source(text),
                                     "look(in: read image2d" + declared +
                                         ", given: sampler, at: read f32[], a: write f32[], b: write f32[]) group 64");
      const Buffer a = cpu.buffer(std::vector<float>(4096, 9)), b = cpu.buffer(std::vector<float>(4096, 9));
      must(cpu.queue().submit(CommandList{}.exec(look, Grid{16}, in, sampler, places, a, b)));
      seen.push_back(must(read<float>(cpu.queue(), a)));
      seen.push_back(must(read<float>(cpu.queue(), b)));
    }
    for (const auto& one : seen) EXPECT_EQ(one, seen[0]);
    EXPECT_LE(*std::ranges::max_element(seen[0]), 1);
  }
}

constexpr std::string_view beside_source = R"(
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void beside(read_only image2d_t in, read_only image3d_t deep, write_only image2d_t out, global uint* seen) {
  const int2 at[] = {(int2)(-1, 0), (int2)(4, 1), (int2)(0, -7), (int2)(3, 3), (int2)(2147483647, -2147483647)};
  for (int i = 0; i < 5; ++i) {
    vstore4(read_imageui(in, edge, at[i]), 2 * i, seen);
    vstore4(read_imageui(in, border, at[i]), 2 * i + 1, seen);
    write_imageui(out, at[i], (uint4)(99));
  }
  vstore4(read_imageui(in, (int2)(1, 2)), 10, seen);
  vstore4(read_imageui(deep, edge, (int4)(1, 1, 5, 0)), 11, seen);
  vstore4(read_imageui(deep, border, (int4)(1, 1, -1, 0)), 12, seen);
})";

// An image of one channel has an alpha of 1 where it has no texels.
TEST(OpenClCImages, BesideAnImageIsItsEdgeOrItsBorder) {
  Bench cpu(device_of("cpu"));
  const Kernel beside =
      cpu.kernel(beside_source, "beside(in: read image2d, deep: read image3d, out: write image2d, seen: write u32[])");
  Bytes texels(12);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint8_t>(10 * (i / 4) + i % 4 + 1);
  const Image in = cpu.image({4, 3}, Texel::r8ui, texels), out = cpu.image({4, 3}, Texel::r8ui, texels);
  const Image deep = cpu.image({2, 2, 2}, Texel::rgba8ui, Bytes(32, 7));
  const Buffer seen = cpu.buffer(std::vector<std::uint32_t>(52));
  must(cpu.queue().submit(CommandList{}.exec(beside, Grid{1}, in, deep, out, seen)));
  const auto words = must(read<std::uint32_t>(cpu.queue(), seen));
  std::vector<std::uint32_t> reds, alphas;
  for (std::size_t i = 0; i < 13; ++i) {
    reds.push_back(words[4 * i]);
    alphas.push_back(words[4 * i + 3]);
  }
  EXPECT_EQ(reds, (std::vector<std::uint32_t>{1, 0, 14, 0, 1, 0, 24, 0, 4, 0, 22, 7, 0}));
  EXPECT_EQ(alphas, (std::vector<std::uint32_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7, 0}));
  EXPECT_EQ(cpu.bytes_of(out), texels);
}

constexpr std::string_view tone_source = R"(
kernel void tone(global const float* in, write_only image2d_t a, write_only image2d_t b, write_only image2d_t c) {
  const int x = get_global_id(0);
  write_imagef(a, (int2)(x, 0), (float4)(in[x]));
  write_imagef(b, (int2)(x, 0), (float4)(in[x]));
  write_imagei(c, (int2)(x, 0), (int4)(in[x] * 1000));
})";

TEST(OpenClCImages, WhatIsTooLargeBecomesTheNearest) {
  Bench cpu(device_of("cpu"));
  const Kernel tone =
      cpu.kernel(tone_source, "tone(in: read f32[], a: write image2d, b: write image2d, c: write image2d) group 8");
  const std::vector<float> in{-2, -1, -0.5f, 0, 0.5f, 1, 2, NAN};
  const Image a = cpu.image({8, 1}, Texel::r8, Bytes(8)), b = cpu.image({8, 1}, Texel::r8_snorm, Bytes(8)),
              c = cpu.image({8, 1}, Texel::r8i, Bytes(8));
  const Buffer values = cpu.buffer(in);
  must(cpu.queue().submit(CommandList{}.exec(tone, Grid{1}, values, a, b, c)));
  EXPECT_EQ(cpu.bytes_of(a), (Bytes{0, 0, 0, 0, 128, 255, 255, 0}));
  EXPECT_EQ(cpu.bytes_of(b), (Bytes{129, 129, 192, 0, 64, 127, 127, 129}));
  const Bytes cut = cpu.bytes_of(c);
  EXPECT_EQ(Bytes(cut.begin(), cut.begin() + 7), (Bytes{128, 128, 128, 0, 127, 127, 127}));
}

constexpr std::string_view both_source = R"(
kernel void both(read_write image2d_t image, global float* sums) {
  local float all[64];
  const int2 at = (int2)(get_local_id(0), get_group_id(0));
  const float4 v = read_imagef(image, at);
  all[at.x] = v.x;
  barrier(CLK_LOCAL_MEM_FENCE);
  write_imagef(image, at, v + (float4)(all[63 - at.x]));
  if (at.x != 0) return;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += all[i];
  sums[at.y] = sum;
})";

TEST(OpenClCImages, OneImageMayBeReadAndWritten) {
  Bench cpu(device_of("cpu"));
  const Kernel both = cpu.kernel(both_source, "both(image: read_write image2d r32f, sums: write f32[]) group 64");
  std::vector<float> values(128);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Bytes bytes(512);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const Image image = cpu.image({64, 2}, Texel::r32f, bytes);
  const Buffer sums = cpu.buffer(std::vector<float>(2));
  must(cpu.queue().submit(CommandList{}.exec(both, Grid{2}, image, sums)));
  EXPECT_EQ(must(read<float>(cpu.queue(), sums)), (std::vector<float>{2016, 2016 + 64 * 64}));
  std::vector<float> after(128);
  bytes = cpu.bytes_of(image);
  std::memcpy(after.data(), bytes.data(), bytes.size());
  EXPECT_EQ(std::vector(after.begin(), after.begin() + 64), std::vector<float>(64, 63));
  EXPECT_EQ(std::vector(after.begin() + 64, after.end()), std::vector<float>(64, 63 + 128));
}

constexpr std::string_view half_source = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halves(read_only image2d_t in, write_only image2d_t out) {
  const int x = get_global_id(0);
  const sampler_t middle = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  write_imageh(out, (int2)(x, 0), read_imageh(in, (int2)(x, 0)) + read_imageh(in, middle, (float2)(x + 1, 0)));
})";

TEST(OpenClCImages, HalvesAreReadAndWritten) {
  Bench cpu(device_of("cpu"));
  const Kernel halves = cpu.kernel(half_source, "halves(in: read image2d, out: write image2d) group 4");
  const Image in = cpu.image({4, 1}, Texel::r16f, {0x00, 0x3c, 0x00, 0x40, 0x00, 0x42, 0x00, 0x44});  // 1, 2, 3, 4
  const Image out = cpu.image({4, 1}, Texel::r16f, Bytes(8));
  must(cpu.queue().submit(CommandList{}.exec(halves, Grid{1}, in, out)));
  EXPECT_EQ(cpu.bytes_of(out), (Bytes{0x00, 0x41, 0x80, 0x44, 0x80, 0x46, 0x00, 0x48}));  // 2.5, 4.5, 6.5, 8
}

}  // namespace
}  // namespace pintle::test
