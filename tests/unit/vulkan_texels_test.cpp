// Texel buffers of Vulkan devices, through the seam.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "vulkan_support.h"

namespace pintle::test {
namespace {

using backend::Argument;
using backend::MemoryId;
using testing::AllOf;
using testing::HasSubstr;
using Bytes = std::vector<std::byte>;
using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;

constexpr std::size_t count = 100;  // texels of a buffer

Argument texels_argument(backend::Range range, Texel texel, Access access = Access::read) {
  Argument argument;
  argument.kind = Argument::Kind::texel_buffer;
  argument.access = access;
  argument.range = range;
  argument.set(texel);
  return argument;
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
double normalized(const std::byte* from) {
  return std::max(static_cast<double>(load<T>(from)) / std::numeric_limits<T>::max(), -1.0);
}
double half(const std::byte* from) {
  const auto bits = load<std::uint16_t>(from);
  const double size = std::ldexp(1024 + (bits & 0x3ff), (bits >> 10 & 0x1f) - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// What a kernel reads of a channel, by the words of the specification.
double value_of(const std::byte* from, Channel channel) {
  switch (channel) {
    case Channel::unorm8: return normalized<std::uint8_t>(from);
    case Channel::snorm8: return normalized<std::int8_t>(from);
    case Channel::u8: return load<std::uint8_t>(from);
    case Channel::i8: return load<std::int8_t>(from);
    case Channel::unorm16: return normalized<std::uint16_t>(from);
    case Channel::snorm16: return normalized<std::int16_t>(from);
    case Channel::u16: return load<std::uint16_t>(from);
    case Channel::i16: return load<std::int16_t>(from);
    case Channel::u32: return load<std::uint32_t>(from);
    case Channel::i32: return load<std::int32_t>(from);
    case Channel::f16: return half(from);
    case Channel::f32: break;
  }
  return static_cast<double>(load<float>(from));
}

/// Each channel is another number that every texel can store; no least one, which normalised channels read like the one
/// above it.
Bytes bytes_for(Texel texel) {
  Bytes bytes(count * bytes_of(texel));
  const std::uint32_t each = bytes_of(channel_of(texel));
  for (std::size_t i = 0; i * each < bytes.size(); ++i) {
    auto bits = static_cast<std::uint32_t>(i * 2654435761u) | 1;
    if (channel_of(texel) == Channel::f16) bits = (bits & 0x83ff) | static_cast<std::uint32_t>(10 + i % 10) << 10;
    if (channel_of(texel) == Channel::f32) bits = std::bit_cast<std::uint32_t>(static_cast<float>(i) * 0.25f - 7);
    std::memcpy(&bytes[i * each], &bits, each);
  }
  return bytes;
}

/// Four numbers for each texel, as f32, or as the bits of u32 or i32.
Words values_of(const Bytes& bytes, Texel texel) {
  Words values;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t channel = 0; channel < 4; ++channel) {
      const std::byte* const from =
          &bytes[i * bytes_of(texel) + channel * bytes_of(channel_of(texel)) % bytes_of(texel)];
      const double value = channel < channels_of(texel) ? value_of(from, channel_of(texel)) : channel == 3 ? 1 : 0;
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      values.push_back(is_integer(texel) ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value)) : bits);
    }
  }
  return values;
}

/// Normalised channels may be off by the last bit.
void expect_values(const Words& found, const Bytes& bytes, Texel texel) {
  SCOPED_TRACE(name(texel));
  const Words wanted = values_of(bytes, texel);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_integer(texel)) EXPECT_EQ(found[i], wanted[i]) << i;
    else EXPECT_FLOAT_EQ(std::bit_cast<float>(found[i]), std::bit_cast<float>(wanted[i])) << i;
  }
}

/// What GLSL puts before the types of such texels, and the dtype of their channels.
struct Spelling {
  std::string prefix;
  std::string dtype;
};
Spelling spelling_of(Texel texel) {
  if (!is_integer(texel)) return {"", "f32"};
  const Channel channel = channel_of(texel);
  const bool is_signed = channel == Channel::i8 || channel == Channel::i16 || channel == Channel::i32;
  return is_signed ? Spelling{"i", "i32"} : Spelling{"u", "u32"};
}

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

constexpr std::string_view fetching = R"(
  layout(local_size_x = 64) in;
  layout(binding = 0) uniform Psampler from;
  layout(binding = 1) writeonly buffer To { Pvec4 to[]; };
  void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i < textureSize(from)) to[i] = texelFetch(from, i);
  }
)";
constexpr std::string_view loading = R"(
  layout(local_size_x = 64) in;
  layout(binding = 0, FORMAT) uniform readonly Pimage from;
  layout(binding = 1) writeonly buffer To { Pvec4 to[]; };
  void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i < imageSize(from)) to[i] = imageLoad(from, i);
  }
)";
constexpr std::string_view storing = R"(
  layout(local_size_x = 64) in;
  layout(binding = 0) readonly buffer From { Pvec4 from[]; };
  layout(binding = 1, FORMAT) uniform writeonly Pimage to;
  void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i < imageSize(to)) imageStore(to, i, from[i]);
  }
)";

class VulkanTexelsTest : public VulkanTest {
 protected:
  static backend::ProgramId shader_for(VulkanRig& rig, std::string_view source, Texel texel,
                                       const std::string& signature) {
    const auto [prefix, dtype] = spelling_of(texel);
    std::string text = replaced(std::string(source), "Pvec4", prefix + "vec4");
    text = replaced(replaced(text, "Psampler", prefix + "samplerBuffer"), "Pimage", prefix + "imageBuffer");
    return shader(rig, replaced(text, "FORMAT", std::string(name(texel))), replaced(signature, "DTYPE", dtype));
  }
};

TEST_F(VulkanTexelsTest, TexelsThatVulkanPromisesAreListed) {
  using enum Texel;
  each([](VulkanRig& rig) {
    const DeviceInfo& info = rig.device->info();
    EXPECT_EQ(info.capability(Feature::texel_buffers).support, Support::native);
    EXPECT_GE(info.limits.max_texel_buffer, 65536u);
    EXPECT_GE(info.limits.texel_alignment, 1u);
    const auto support_of = [&](Texel texel) {
      const auto found = std::ranges::find(info.buffer_texels, texel, &TexelSupport::texel);
      EXPECT_NE(found, info.buffer_texels.end()) << name(texel);
      return found == info.buffer_texels.end() ? TexelSupport{} : *found;
    };
    for (const Texel texel : {rgba8, rgba8_snorm, rgba8ui, rgba8i, rgba16f, rgba16ui, rgba16i, r32ui, r32i, r32f,
                              rg32ui, rg32i, rg32f, rgba32f, rgba32ui, rgba32i})
      EXPECT_EQ(support_of(texel).access, Access::read_write) << name(texel);
    for (const Texel texel : {r8, r8ui, rg8, r16f, rg16f, r16ui, rg16i}) support_of(texel);
  });
}

TEST_F(VulkanTexelsTest, EveryTexelIsFetched) {
  each_shading([](VulkanRig& rig) {
    const std::array all{
        shader_for(rig, fetching, Texel::r32f, "f(from: read texel_buffer, to: write DTYPE[]) group 64"),
        shader_for(rig, fetching, Texel::r32ui, "f(from: read texel_buffer, to: write DTYPE[]) group 64"),
        shader_for(rig, fetching, Texel::r32i, "f(from: read texel_buffer, to: write DTYPE[]) group 64")};
    const MemoryId to = rig.allocate(count * 16);
    std::size_t fetched = 0;
    for (const TexelSupport& support : rig.device->info().buffer_texels) {
      const Texel texel = support.texel;
      const std::string dtype = spelling_of(texel).dtype;
      const Bytes bytes = bytes_for(texel);
      const MemoryId from = rig.buffer(bytes);
      const auto submitted = rig.device->submit(rig.queue, {},
                                                launch(all.at(dtype == "f32"   ? 0
                                                              : dtype == "u32" ? 1
                                                                               : 2),
                                                       0, {2, 1, 1},
                                                       {texels_argument(range_of(from, 0, bytes.size()), texel),
                                                        buffer_argument(range_of(to, 0, count * 16))}));
      if (submitted) {
        rig.finish(*submitted);
        expect_values(rig.read<std::uint32_t>(to, 0, count * 4), bytes, texel);
        ++fetched;
      } else {  // there are storage texel buffers of it alone
        EXPECT_EQ(submitted.error().code(), Errc::unsupported);
        EXPECT_THAT(submitted.error().text(),
                    AllOf(HasSubstr(std::string(name(texel))), HasSubstr("for uniform texel")));
      }
      rig.device->release(from);
    }
    EXPECT_GE(fetched, 20u);
  });
}

TEST_F(VulkanTexelsTest, TexelsAreStoredAndLoaded) {
  using enum Texel;
  each_shading([](VulkanRig& rig) {
    for (const Texel texel : {rgba8, r32f, rgba32f, rg16ui, rgba16f, r32i, rgba8i, rgba8_snorm, rgba16, rg16_snorm}) {
      const auto& listed = rig.device->info().buffer_texels;
      const auto support = std::ranges::find(listed, texel, &TexelSupport::texel);
      if (support == listed.end() || support->access != Access::read_write) continue;
      const Bytes bytes = bytes_for(texel);
      const MemoryId values = rig.buffer(values_of(bytes, texel)), texels = rig.buffer(Bytes(bytes.size()));
      const MemoryId back = rig.allocate(count * 16);
      const std::string declared(name(texel));
      const auto store =
          shader_for(rig, storing, texel, "f(from: read DTYPE[], to: write texel_buffer " + declared + ") group 64");
      const auto load =
          shader_for(rig, loading, texel, "f(from: read texel_buffer " + declared + ", to: write DTYPE[]) group 64");
      const auto whole = range_of(texels, 0, bytes.size());
      List list =
          launch(store, 0, {2, 1, 1},
                 {buffer_argument(range_of(values, 0, count * 16)), texels_argument(whole, texel, Access::write)});
      rig.run(list);
      EXPECT_EQ(rig.read<std::byte>(texels, 0, bytes.size()), bytes) << name(texel);
      rig.run(
          launch(load, 0, {2, 1, 1}, {texels_argument(whole, texel), buffer_argument(range_of(back, 0, count * 16))}));
      expect_values(rig.read<std::uint32_t>(back, 0, count * 4), bytes, texel);
    }
  });
}

/// Adds to each texel of the view, and counts the texels.
constexpr std::string_view adding = R"(
  layout(local_size_x = 1) in;
  layout(binding = 0, r32ui) uniform uimageBuffer all;
  void main() { for (int i = 0; i < imageSize(all); ++i) imageAtomicAdd(all, i, uint(imageSize(all))); }
)";
const std::string adding_signature = "f(all: read_write texel_buffer r32ui)";

Argument counted_argument(backend::Range range) { return texels_argument(range, Texel::r32ui, Access::read_write); }

TEST_F(VulkanTexelsTest, ViewsBeginAndEndWithinABuffer) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, adding, adding_signature);
    const Limits& limits = rig.device->info().limits;
    const std::uint64_t offset = 3 * std::max({limits.texel_alignment, limits.offset_alignment, 4u});
    const MemoryId all = rig.buffer(Words(1000, 7));
    rig.run(launch(program, 0, {1, 1, 1}, {counted_argument(range_of(all, offset, 20))}));
    Words expected(1000, 7);
    for (std::size_t i = offset / 4; i < offset / 4 + 5; ++i) expected[i] += 5;
    EXPECT_EQ(rig.read<std::uint32_t>(all, 0, 1000), expected);
  });
}

TEST_F(VulkanTexelsTest, MoreViewsThanAreKept) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, adding, adding_signature);
    const MemoryId all = rig.buffer(Words(300));
    Words expected(300);
    for (int round = 0; round < 2; ++round) {
      List list;
      for (std::uint32_t size = 300; size > 0; --size)
        list.arguments.push_back(counted_argument(range_of(all, 0, size * 4)));
      for (std::uint32_t i = 0; i < 300; ++i) {
        list.add(backend::Exec{program, 0, i, 1, {1, 1, 1}}).barrier();
        for (std::uint32_t texel = 0; texel < 300 - i; ++texel) expected[texel] += 300 - i;
      }
      rig.run(list);
    }
    EXPECT_EQ(rig.read<std::uint32_t>(all, 0, 300), expected);
  });
}

TEST_F(VulkanTexelsTest, LargeBuffersHaveThemToo) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, adding, adding_signature);
    const MemoryId all = rig.allocate(8 << 20);  // has a block of its own
    rig.run(List({backend::Fill{range_of(all, 0, 8 << 20), {}, 4}}));
    rig.run(launch(program, 0, {1, 1, 1}, {counted_argument(range_of(all, 4 << 20, 4000))}));
    EXPECT_EQ(rig.read<std::uint32_t>(all, 4 << 20, 1001).at(999), 1000u);
    EXPECT_EQ(rig.read<std::uint32_t>(all, 4 << 20, 1001).at(1000), 0u);
  });
}

TEST_F(VulkanTexelsTest, RecordingsUseThem) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, adding, adding_signature);
    const MemoryId all = rig.buffer(Words{1, 2, 3});
    List list;
    list.arguments = {counted_argument(range_of(all, 0, 12)), counted_argument(range_of(all, 0, 8))};
    list.add(backend::Exec{program, 0, 0, 1, {1, 1, 1}});
    list.add(backend::Exec{program, 0, 1, 1, {1, 1, 1}}).barrier();
    const auto recording = must(rig.device->record(list));
    const List replay({backend::Replay{recording, {}}});
    for (int i = 0; i < 9; ++i) rig.submit(replay);
    rig.run(replay);
    EXPECT_EQ(rig.read<std::uint32_t>(all, 0, 3), (Words{51, 52, 33}));
    rig.device->release(all);  // the recording is not replayed any more
    rig.device->forget(recording);
  });
}

TEST_F(VulkanTexelsTest, SeveralSetsHaveThemBesideImages) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, R"(
      layout(local_size_x = 1) in;
      layout(set = 0, binding = 0) uniform samplerBuffer from[2];
      layout(set = 1, binding = 0) uniform texture2D frame;
      layout(set = 1, binding = 1) uniform sampler how;
      layout(set = 1, binding = 2) uniform Scalars { float scale; };
      layout(set = 2, binding = 5, r32f) uniform writeonly imageBuffer to;
      void main() {
        float sum = texelFetch(from[0], 0).x + texelFetch(from[1], 0).x + textureLod(sampler2D(frame, how), vec2(0), 0).x;
        imageStore(to, 0, vec4(sum * scale));
      }
    )",
                                "f(a: read texel_buffer, b: read texel_buffer r32f, frame: read image2d, how: sampler, "
                                "to: write texel_buffer r32f, scale: f32)");
    const MemoryId a = rig.buffer(Floats{1}), b = rig.buffer(Floats{20}), to = rig.allocate(4);
    const backend::ImageRequest wanted{{1, 1}, Texel::r32f, Access::read_write};
    Argument frame, how;
    frame.kind = Argument::Kind::image;
    frame.range = range_of(must(rig.device->allocate({4, 1, Placement::device, "frame", &wanted})), 0, 4);
    how.kind = Argument::Kind::sampler;
    how.set(Sampler{});
    const backend::ImageTransfer all{{0, 0, 0, {1, 1}, 4, 4}, Texel::r32f};
    rig.run(List({backend::CopyImage{frame.range, range_of(b, 0, 4), &all, true}}));
    for (int i = 0; i < 100; ++i)
      rig.run(
          launch(program, 0, {1, 1, 1},
                 {texels_argument(range_of(a, 0, 4), Texel::r32f), texels_argument(range_of(b, 0, 4), Texel::r32f),
                  frame, how, texels_argument(range_of(to, 0, 4), Texel::r32f, Access::write), scalar_argument(2.0f)}));
    EXPECT_EQ(rig.read<float>(to, 0, 1), Floats{82});
  });
}

TEST_F(VulkanTexelsTest, TexelsThatDoNotSuitTheCodeAreRefusedAtTheLaunch) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, adding, "f(all: read_write texel_buffer)");
    const auto fetch = shader_for(rig, fetching, Texel::r32f, "f(from: read texel_buffer, to: write f32[]) group 64");
    const MemoryId all = rig.buffer(Words(4));
    const auto refused = [&](const List& list, const std::string& words) {
      const auto submitted = rig.device->submit(rig.queue, {}, list);
      ASSERT_FALSE(submitted);
      EXPECT_EQ(submitted.error().code(), Errc::invalid_argument);
      EXPECT_THAT(submitted.error().text(), HasSubstr(words));
    };
    refused(launch(program, 0, {1, 1, 1}, {texels_argument(range_of(all, 0, 4), Texel::rgba8, Access::read_write)}),
            "texel rgba8, and the kernel has texel_buffer r32ui");
    refused(launch(fetch, 0, {1, 1, 1},
                   {texels_argument(range_of(all, 0, 4), Texel::r32ui), buffer_argument(range_of(all, 0, 16))}),
            "texel r32ui, and the kernel has texel_buffer of f32");
  });
}

}  // namespace
}  // namespace pintle::test
