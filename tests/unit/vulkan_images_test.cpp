// Images and samplers of Vulkan devices, through the seam.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "vulkan_support.h"

namespace pintle::test {
namespace {

using backend::Argument;
using backend::ImageTransfer;
using backend::MemoryId;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

struct Picture {
  MemoryId memory = MemoryId::none;
  ImageExtent extent;
  Texel texel = Texel::rgba8;

  [[nodiscard]] backend::Range range() const {
    return range_of(memory, 0, std::uint64_t{extent.width} * extent.height * extent.slices() * bytes_of(texel));
  }
  [[nodiscard]] ImageTransfer all() const {
    const std::uint64_t row = std::uint64_t{extent.width} * bytes_of(texel);
    return {{0, 0, 0, extent, row, row * extent.height}, texel};
  }
};

Picture picture(VulkanRig& rig, ImageExtent extent, Texel texel, Access access = Access::read_write) {
  Picture made{MemoryId::none, extent, texel};
  const backend::ImageRequest wanted{extent, texel, access};
  made.memory = must(rig.device->allocate({made.range().size, 1, Placement::device, "picture", &wanted}));
  return made;
}

/// The transfer stays with the caller.
backend::CopyImage copy_to(const Picture& to, backend::Range from, const ImageTransfer& transfer) {
  return {to.range(), from, &transfer, true};
}
backend::CopyImage copy_from(backend::Range to, const Picture& from, const ImageTransfer& transfer) {
  return {to, from.range(), &transfer, false};
}

template <class T>
Picture filled(VulkanRig& rig, ImageExtent extent, Texel texel, const std::vector<T>& values,
               Access access = Access::read_write) {
  const Picture made = picture(rig, extent, texel, access);
  const MemoryId staged = rig.buffer(values);
  const ImageTransfer all = made.all();
  rig.run(List({copy_to(made, range_of(staged, 0, made.range().size), all)}));
  rig.device->release(staged);
  return made;
}

template <class T>
std::vector<T> texels_of(VulkanRig& rig, const Picture& from) {
  const std::uint64_t size = from.range().size;
  const MemoryId staged = rig.allocate(size);
  const ImageTransfer all = from.all();
  rig.run(List({copy_from(range_of(staged, 0, size), from, all)}));
  auto values = rig.read<T>(staged, 0, size / sizeof(T));
  rig.device->release(staged);
  return values;
}

Argument image_argument(const Picture& of, Access access = Access::read) {
  Argument argument;
  argument.kind = Argument::Kind::image;
  argument.access = access;
  argument.range = of.range();
  return argument;
}
Argument sampler_argument(const Sampler& sampler) {
  Argument argument;
  argument.kind = Argument::Kind::sampler;
  argument.set(sampler);
  return argument;
}
Argument sampled_argument(const Picture& of, const Sampler& sampler) {
  Argument argument = image_argument(of);
  argument.kind = Argument::Kind::sampled;
  argument.set(sampler);
  return argument;
}

Bytes counted(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return bytes;
}

const TexelSupport* support_of(VulkanRig& rig, Texel texel) {
  const auto& all = rig.device->info().texels;
  const auto found = std::ranges::find(all, texel, &TexelSupport::texel);
  return found == all.end() ? nullptr : &*found;
}

class VulkanImagesTest : public VulkanTest {};

TEST_F(VulkanImagesTest, TexelsThatVulkanPromisesAreListed) {
  each([](VulkanRig& rig) {
    EXPECT_EQ(rig.device->info().capability(Feature::images).support, Support::native);
    EXPECT_GE(rig.device->info().limits.max_image_2d, 4096u);
    EXPECT_GE(rig.device->info().limits.max_image_3d, 256u);
    for (const Texel texel :
         {Texel::rgba8, Texel::rgba8_snorm, Texel::rgba8ui, Texel::rgba8i, Texel::rgba16f, Texel::rgba16ui,
          Texel::rgba16i, Texel::r32ui, Texel::r32i, Texel::r32f, Texel::rgba32f}) {
      const TexelSupport* const support = support_of(rig, texel);
      ASSERT_NE(support, nullptr) << name(texel);
      EXPECT_EQ(support->access, Access::read_write) << name(texel);
      EXPECT_FALSE(support->is_filtered && is_integer(texel)) << name(texel);
    }
    EXPECT_TRUE(support_of(rig, Texel::rgba8)->is_filtered);
  });
}

TEST_F(VulkanImagesTest, CopiesKeepEveryTexel) {
  each([](VulkanRig& rig) {
    for (const auto& [texel, access, is_filtered] : rig.device->info().texels) {
      for (const ImageExtent extent : {ImageExtent{1, 1}, ImageExtent{17, 5}, ImageExtent{7, 3, 4}}) {
        const Bytes values = counted(extent.width * extent.height * extent.slices() * bytes_of(texel));
        const Picture made = filled(rig, extent, texel, values, access);
        EXPECT_EQ(texels_of<std::uint8_t>(rig, made), values) << name(texel);
        rig.device->release(made.memory);
      }
    }
  });
}

TEST_F(VulkanImagesTest, PartsLieWithDistancesInBuffers) {
  each([](VulkanRig& rig) {
    constexpr ImageExtent extent{8, 6, 3};
    const Picture made = filled(rig, extent, Texel::rg8, Bytes(8 * 6 * 3 * 2, 1));
    const Bytes values = counted(1000);
    const MemoryId from = rig.buffer(values), to = rig.buffer(Bytes(1000, 9));
    constexpr ImageTransfer part{{2, 1, 1, {3, 4, 2}, 10, 60}, Texel::rg8};
    const std::uint64_t size = bytes_of(part);
    List list;
    list.add(copy_to(made, range_of(from, 6, size), part));
    list.add(copy_from(range_of(to, 34, size), made, part)).barrier();
    rig.run(list);
    const Bytes back = rig.read<std::uint8_t>(to, 0, 1000), all = texels_of<std::uint8_t>(rig, made);
    Bytes expected_back(1000, 9), expected_all(8 * 6 * 3 * 2, 1);
    for (std::size_t z = 0; z < 2; ++z) {
      for (std::size_t y = 0; y < 4; ++y) {
        for (std::size_t byte = 0; byte < 6; ++byte) {
          const std::uint8_t value = values[6 + z * 60 + y * 10 + byte];
          expected_back[34 + z * 60 + y * 10 + byte] = value;
          expected_all[((z + 1) * 6 + y + 1) * 16 + 4 + byte] = value;
        }
      }
    }
    EXPECT_EQ(back, expected_back);
    EXPECT_EQ(all, expected_all);
  });
}

TEST_F(VulkanImagesTest, CopiesRunOnQueuesThatCopy) {
  each([](VulkanRig& rig) {
    const Bytes values = counted(16 * 4);
    const Picture made = picture(rig, {16, 4}, Texel::r8);
    const MemoryId from = rig.buffer(values), to = rig.allocate(100);
    const ImageTransfer all = made.all();
    const auto copies = must(rig.device->create_queue({QueueKind::copy, 7, {}}));
    List list;
    list.add(copy_to(made, range_of(from, 0, 64), all));
    list.add(copy_from(range_of(to, 3, 64), made, all)).barrier();
    must(rig.device->wait(copies, must(rig.device->submit(copies, {}, list)), soon()));
    EXPECT_EQ(rig.read<std::uint8_t>(to, 3, 64), values);
    EXPECT_EQ(texels_of<std::uint8_t>(rig, made), values);
    rig.device->destroy_queue(copies);
  });
}

TEST_F(VulkanImagesTest, RowsBeyondVulkansNumbersAreRefused) {
  each([](VulkanRig& rig) {
    const Picture made = picture(rig, {2, 2}, Texel::r8);
    const MemoryId from = rig.allocate(16);
    const ImageTransfer far{{0, 0, 0, {2, 2}, std::uint64_t{1} << 31, std::uint64_t{1} << 32}, Texel::r8};
    const auto refused = rig.device->submit(rig.queue, {}, List({copy_to(made, range_of(from, 0, 16), far)}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_THAT(refused.error().text(), HasSubstr("(2147483648) bytes"));
    const ImageTransfer row{{0, 1, 0, {2, 1}, std::uint64_t{1} << 40, std::uint64_t{1} << 41}, Texel::r8};
    rig.run(List({copy_to(made, range_of(from, 0, 2), row)}));  // there is no second row
  });
}

TEST_F(VulkanImagesTest, TheBudgetCountsThem) {
  each([](VulkanRig& rig) {
    const auto used = [&] { return must(rig.device->budget()).front().used; };
    const std::uint64_t before = used();
    const Picture made = picture(rig, {64, 64}, Texel::rgba8);
    EXPECT_EQ(used(), before + 64 * 64 * 4);
    EXPECT_FALSE(rig.device->map(made.memory));
    EXPECT_FALSE(rig.device->export_memory(made.memory));
    rig.device->release(made.memory);  // unused
    EXPECT_EQ(used(), before);
  });
}

constexpr std::string_view doubling = R"(
  layout(local_size_x = 8, local_size_y = 4) in;
  layout(binding = 0, r32f) uniform readonly image2D from;
  layout(binding = 1, r32f) uniform writeonly image2D to;
  void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(to)))) return;
    imageStore(to, at, imageLoad(from, at) * 2);
  }
)";
const std::string doubling_signature = "f(from: read image2d r32f, to: write image2d r32f) group 8,4";

TEST_F(VulkanImagesTest, KernelsLoadAndStore) {
  each_shading([](VulkanRig& rig) {
    Floats values(20 * 6);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const Picture from = filled(rig, {20, 6}, Texel::r32f, values, Access::read);
    const Picture to = picture(rig, {20, 6}, Texel::r32f, Access::write);
    const auto program = shader(rig, doubling, doubling_signature);
    rig.run(launch(program, 0, {3, 2, 1}, {image_argument(from), image_argument(to, Access::write)}));
    for (float& value : values) value *= 2;
    EXPECT_EQ(texels_of<float>(rig, to), values);
  });
}

TEST_F(VulkanImagesTest, VolumesIntegersAndAtomics) {
  each_shading([](VulkanRig& rig) {
    const Picture counts = filled(rig, {4, 4, 4}, Texel::r32ui, std::vector<std::uint32_t>(64, 5));
    const auto program = shader(rig, R"(
      layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
      layout(binding = 0, r32ui) uniform uimage3D counts;
      void main() { imageAtomicAdd(counts, ivec3(gl_LocalInvocationID), gl_LocalInvocationIndex); }
    )",
                                "f(counts: read_write image3d r32ui) group 4,4,4");
    rig.run(launch(program, 0, {2, 1, 1}, {image_argument(counts, Access::read_write)}));
    std::vector<std::uint32_t> expected(64);
    for (std::uint32_t i = 0; i < 64; ++i) expected[i] = 5 + 2 * i;
    EXPECT_EQ(texels_of<std::uint32_t>(rig, counts), expected);
  });
}

/// Reads a picture of 2 by 1 texels, 0 and 1, at 8 places of a row.
constexpr std::string_view sampling = R"(
  layout(local_size_x = 1) in;
  layout(binding = 0) uniform texture2D frame;
  layout(binding = 1) uniform sampler how;
  layout(binding = 2) buffer Y { float y[]; };
  layout(push_constant) uniform P { float first; float step_; };
  void main() {
    for (int i = 0; i < 8; ++i) y[i] = textureLod(sampler2D(frame, how), vec2(first + float(i) * step_, 0.5), 0).x;
  }
)";
constexpr std::string_view combined_sampling = R"(
  layout(local_size_x = 1) in;
  layout(binding = 0) uniform sampler2D frame;
  layout(binding = 1) buffer Y { float y[]; };
  layout(push_constant) uniform P { float first; float step_; };
  void main() { for (int i = 0; i < 8; ++i) y[i] = textureLod(frame, vec2(first + float(i) * step_, 0.5), 0).x; }
)";

struct Sampling {
  Sampler sampler;
  float first;
  float step;
  std::array<float, 8> expected;
};

const std::vector<Sampling>& samplings() {
  using enum Filter;
  using enum Address;
  static const auto& all = *new std::vector<Sampling>{
      {{nearest, edge, Coordinates::normalized}, -0.45f, 0.3f, {0, 0, 0, 0, 1, 1, 1, 1}},
      {{nearest, border, Coordinates::normalized}, -0.45f, 0.3f, {0, 0, 0, 0, 1, 0, 0, 0}},
      {{nearest, repeat, Coordinates::normalized}, -0.45f, 0.3f, {1, 1, 0, 0, 1, 0, 0, 1}},
      {{nearest, mirror, Coordinates::normalized}, -0.45f, 0.3f, {0, 0, 0, 0, 1, 1, 1, 0}},
      {{nearest, edge, Coordinates::texels}, -0.9f, 0.6f, {0, 0, 0, 0, 1, 1, 1, 1}},
      {{nearest, border, Coordinates::texels}, -0.9f, 0.6f, {0, 0, 0, 0, 1, 0, 0, 0}},
      {{linear, edge, Coordinates::normalized}, 0.125f, 0.125f, {0, 0, 0.25f, 0.5f, 0.75f, 1, 1, 1}},
      {{linear, edge, Coordinates::texels}, 0.25f, 0.25f, {0, 0, 0.25f, 0.5f, 0.75f, 1, 1, 1}},
      {{linear, border, Coordinates::texels}, 1, 0.25f, {0.5f, 0.75f, 1, 0.75f, 0.5f, 0.25f, 0, 0}},
      {{linear, repeat, Coordinates::normalized}, 0, 0.125f, {0.5f, 0.25f, 0, 0.25f, 0.5f, 0.75f, 1, 0.75f}},
  };
  return all;
}

void expect_near(const Floats& found, const Sampling& wanted) {
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found[i], wanted.expected[i], 1.0f / 256) << i;
}

TEST_F(VulkanImagesTest, SamplersReadBetweenAndBesideTexels) {
  each_shading([](VulkanRig& rig) {
    const Picture frame = filled(rig, {2, 1}, Texel::r32f, Floats{0, 1}, Access::read);
    const Picture bytes = filled(rig, {2, 1}, Texel::rgba8, Bytes{0, 9, 9, 9, 255, 9, 9, 9}, Access::read);
    const auto apart = shader(rig, sampling, "f(frame: read image2d, s: sampler, y: write f32[], a: f32, b: f32)");
    const auto both = shader(rig, combined_sampling, "f(frame: read image2d sampled, y: write f32[], a: f32, b: f32)");
    const MemoryId y = rig.allocate(32);
    for (const Sampling& one : samplings()) {
      SCOPED_TRACE(&one - samplings().data());
      const bool is_linear = one.sampler.filter == Filter::linear;
      const Picture& from = is_linear && !support_of(rig, Texel::r32f)->is_filtered ? bytes : frame;
      const auto result = buffer_argument(range_of(y, 0, 32));
      const auto a = scalar_argument(one.first), b = scalar_argument(one.step);
      rig.run(launch(apart, 0, {1, 1, 1}, {image_argument(from), sampler_argument(one.sampler), result, a, b}));
      expect_near(rig.read<float>(y, 0, 8), one);
      rig.run(launch(both, 0, {1, 1, 1}, {sampled_argument(from, one.sampler), result, a, b}));
      expect_near(rig.read<float>(y, 0, 8), one);
    }
  });
}

TEST_F(VulkanImagesTest, IntegersHaveABorderToo) {
  each_shading([](VulkanRig& rig) {
    const Picture frame = filled(rig, {1, 1}, Texel::r32ui, std::vector<std::uint32_t>{7}, Access::read);
    const auto program = shader(rig, R"(
      layout(local_size_x = 1) in;
      layout(binding = 0) uniform usampler2D frame;
      layout(binding = 1) buffer Y { uint y[]; };
      void main() { for (int i = 0; i < 3; ++i) y[i] = textureLod(frame, vec2(float(i) - 0.5, 0.5), 0).x; }
    )",
                                "f(frame: read image2d r32ui sampled, y: write u32[])");
    const MemoryId y = rig.allocate(12);
    rig.run(launch(program, 0, {1, 1, 1},
                   {sampled_argument(frame, {Filter::nearest, Address::border, Coordinates::texels}),
                    buffer_argument(range_of(y, 0, 12))}));
    EXPECT_EQ(rig.read<std::uint32_t>(y, 0, 3), (std::vector<std::uint32_t>{0, 7, 0}));
  });
}

TEST_F(VulkanImagesTest, SeveralSetsHaveImages) {
  each_shading([](VulkanRig& rig) {
    const auto program =
        shader(rig, R"(
      layout(local_size_x = 1) in;
      layout(set = 0, binding = 0, r32f) uniform writeonly image2D to;
      layout(set = 1, binding = 2) uniform texture2D frame[2];
      layout(set = 2, binding = 0) uniform sampler how;
      layout(set = 2, binding = 1) uniform Scalars { float scale; };
      void main() {
        float sum = textureLod(sampler2D(frame[0], how), vec2(0), 0).x + textureLod(sampler2D(frame[1], how), vec2(0), 0).x;
        imageStore(to, ivec2(0), vec4(sum * scale));
      }
    )",
               "f(to: write image2d r32f, a: read image2d, b: read image2d, how: sampler, scale: f32)");
    const Picture to = picture(rig, {1, 1}, Texel::r32f);
    const Picture a = filled(rig, {1, 1}, Texel::r32f, Floats{3}), b = filled(rig, {1, 1}, Texel::r32f, Floats{4});
    for (int i = 0; i < 100; ++i)
      rig.run(launch(program, 0, {1, 1, 1},
                     {image_argument(to, Access::write), image_argument(a), image_argument(b), sampler_argument({}),
                      scalar_argument(2.0f)}));
    EXPECT_EQ(texels_of<float>(rig, to), Floats{14});
  });
}

TEST_F(VulkanImagesTest, RecordingsUseThem) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, doubling, doubling_signature);
    const Picture from = picture(rig, {2, 1}, Texel::r32f), to = picture(rig, {2, 1}, Texel::r32f);
    const MemoryId bytes = rig.buffer(Floats{1, 2});
    const ImageTransfer all = from.all();
    List list;  // the first use of both
    list.arguments = {image_argument(from), image_argument(to, Access::write)};
    list.add(copy_to(from, range_of(bytes, 0, 8), all));
    list.add(backend::Exec{program, 0, 0, 2, {1, 1, 1}}).barrier();
    list.add(copy_from(range_of(bytes, 0, 8), to, all)).barrier();
    const auto recording = must(rig.device->record(list));
    const List replay({backend::Replay{recording, {}}});
    for (int i = 0; i < 10; ++i) rig.submit(replay);
    rig.run(replay);
    EXPECT_EQ(rig.read<float>(bytes, 0, 2), (Floats{2048, 4096}));
    EXPECT_EQ(texels_of<float>(rig, from), (Floats{1024, 2048}));
    rig.device->forget(recording);
  });
}

/// What was written stays, whichever queue and list uses the image next.
TEST_F(VulkanImagesTest, OnlyTheFirstUseChangesTheLayout) {
  each([](VulkanRig& rig) {
    const Picture made = picture(rig, {4, 1}, Texel::r8);
    const Bytes values{1, 2, 3, 4};
    const MemoryId from = rig.buffer(values), to = rig.allocate(4);
    const ImageTransfer all = made.all();
    const auto other = must(rig.device->create_queue({QueueKind::compute, 0, {}}));
    std::function<void()> nothing = [] {};
    List first;  // a step: the copy is recorded when the call has returned
    first.add(call_of(nothing));
    first.add(copy_to(made, range_of(from, 0, 4), all)).barrier();
    const std::vector<backend::QueuePoint> waits{{rig.queue, rig.submit(first)}};
    const List second({copy_from(range_of(to, 0, 4), made, all)});
    must(rig.device->wait(other, must(rig.device->submit(other, waits, second)), soon()));
    EXPECT_EQ(rig.read<std::uint8_t>(to, 0, 4), values);
    rig.device->destroy_queue(other);
  });
}

TEST_F(VulkanImagesTest, ImagesThatDoNotSuitTheCodeAreRefusedAtTheLaunch) {
  each_shading([](VulkanRig& rig) {
    const auto program = shader(rig, doubling, "f(from: read image2d, to: write image2d) group 8,4");
    const Picture right = picture(rig, {1, 1}, Texel::r32f), wrong = picture(rig, {1, 1}, Texel::rgba8);
    rig.run(launch(program, 0, {1, 1, 1}, {image_argument(right), image_argument(right, Access::write)}));
    const auto refused = rig.device->submit(
        rig.queue, {}, launch(program, 0, {1, 1, 1}, {image_argument(right), image_argument(wrong, Access::write)}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_THAT(refused.error().text(), HasSubstr("texel rgba8, and the kernel has image2d r32f"));
  });
}

TEST_F(VulkanImagesTest, SamplersThatDoNotSuitTheImageAreRefusedAtTheLaunch) {
  each_shading([](VulkanRig& rig) {
    const auto program =
        shader(rig, R"(
      layout(local_size_x = 1) in;
      layout(binding = 0) uniform texture3D volume;
      layout(binding = 1) uniform utexture2D table;
      layout(binding = 2) uniform sampler how;
      layout(binding = 3) uniform sampler which;
      layout(binding = 4) buffer Y { float y[]; };
      void main() {
        y[0] = textureLod(sampler3D(volume, how), vec3(0), 0).x + float(textureLod(usampler2D(table, which), vec2(0), 0).x);
      }
    )",
               "f(volume: read image3d, table: read image2d, how: sampler, which: sampler, y: write f32[])");
    const Picture volume = picture(rig, {1, 1, 1}, Texel::rgba8), table = picture(rig, {1, 1}, Texel::r32ui);
    const MemoryId y = rig.allocate(4);
    const auto submit = [&](const Sampler& how, const Sampler& which) {
      return rig.device->submit(rig.queue, {},
                                launch(program, 0, {1, 1, 1},
                                       {image_argument(volume), image_argument(table), sampler_argument(how),
                                        sampler_argument(which), buffer_argument(range_of(y, 0, 4))}));
    };
    const Sampler plain{}, texels{.coordinates = Coordinates::texels}, linear{.filter = Filter::linear};
    const auto counted = submit(texels, plain);
    ASSERT_FALSE(counted);
    EXPECT_THAT(counted.error().text(), HasSubstr("two dimensions alone"));
    const auto filtered = submit(plain, linear);
    ASSERT_FALSE(filtered);
    EXPECT_THAT(filtered.error().text(), HasSubstr("does not filter texel r32ui"));
    rig.finish(must(submit(linear, texels)));
  });
}

TEST_F(VulkanImagesTest, UnusedImagesGoWithTheDevice) {
  each([](VulkanRig& rig) {
    for (const ImageExtent extent : {ImageExtent{1, 1}, ImageExtent{100, 100}, ImageExtent{16, 16, 16}})
      picture(rig, extent, Texel::rgba8);
  });
}

}  // namespace
}  // namespace pintle::test
