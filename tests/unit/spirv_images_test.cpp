// Images and samplers of shaders, beside what a signature declares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pintle/must.h"
#include "spirv/glsl_program.h"
#include "spirv/instrument_image.h"
#include "spirv/kernel.h"
#include "spirv_support.h"

namespace pintle::spirv {
namespace {

using enum DescriptorKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr KernelLimits roomy{128, 32768};
constexpr std::string_view head =
    "#version 450\n#extension GL_EXT_samplerless_texture_functions : require\nlayout(local_size_x = 1) in;\n";

class SpirvImages : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_glsl_program()) GTEST_SKIP() << "this machine has no GLSL compiler";
  }

  static std::vector<std::byte> compile(std::string_view source) {
    return must(compile_glsl({"f.comp", std::string(head) + std::string(source), {}}));
  }

  /// The entry "f" of a shader without its first lines, matched with a signature.
  static Result<KernelCode> match(std::string_view source, std::string_view signature,
                                  const KernelLimits& limits = roomy) {
    const auto code = compile(source);
    const std::vector<Entry> entries{must(Entry::parse(signature))};
    const backend::ProgramImage image{"demo", "spirv", code, entries, {}};
    KernelMatcher matcher(image, limits, [](const Module&) { return Result<void>(); });
    PINTLE_TRY(matcher.add(code, entries));
    PINTLE_ASSIGN(kernels, matcher.finish());
    return kernels[0];
  }

  static void expect_refused(Errc code, std::string_view source, std::string_view signature, std::string_view words,
                             const KernelLimits& limits = roomy) {
    const auto refused = match(source, signature, limits);
    ASSERT_FALSE(refused) << signature;
    EXPECT_EQ(refused.error().code(), code) << refused.error().text();
    EXPECT_THAT(refused.error().text(), HasSubstr(std::string(words)));
  }
};

constexpr std::string_view all_kinds = R"(
  layout(binding = 5, rgba8) uniform writeonly image2D result;
  layout(binding = 0) buffer Sums { float sums[]; };
  layout(binding = 1) uniform texture2D frame;
  layout(binding = 2) uniform sampler smooth_;
  layout(binding = 3) uniform sampler2D both;
  layout(binding = 4, r32i) uniform iimage3D counts;
  layout(push_constant) uniform P { float scale; };
  void main() {
    vec4 all = texture(sampler2D(frame, smooth_), vec2(0)) + texture(both, vec2(0));
    imageStore(result, ivec2(0), all * scale);
    sums[0] = all.x;
    imageAtomicAdd(counts, ivec3(0), 1);
  }
)";
constexpr std::string_view declared_kinds =
    "f(sums: write f32[], frame: read image2d rgba8, s: sampler, both: read image2d r32f sampled, "
    "counts: read_write image3d r32i, result: write image2d rgba8, scale: f32)";

TEST_F(SpirvImages, StandInTheOrderOfBindingsWithBuffers) {
  const auto kernel = must(match(all_kinds, declared_kinds));
  EXPECT_THAT(kernel.interface.descriptors,
              ElementsAre(Descriptor{0, 0, 0, storage_buffer}, Descriptor{0, 1, 0, sampled_image},
                          Descriptor{0, 2, 0, sampler}, Descriptor{0, 3, 0, combined},
                          Descriptor{0, 4, 0, storage_image}, Descriptor{0, 5, 0, storage_image}));
  EXPECT_EQ(kernel.interface.needs[4].image.texel, Texel::r32i);
  EXPECT_EQ(kernel.interface.scalar_source, ScalarSource::push);
}

TEST_F(SpirvImages, KnowWhichSamplerReadsThem) {
  const auto kernel = must(match(all_kinds, declared_kinds));
  EXPECT_THAT(kernel.interface.sampled, ElementsAre(Pair(1, 2), Pair(3, 3)));
  constexpr std::string_view fetched = R"(
    layout(binding = 0) uniform utexture3D table;
    layout(binding = 1) uniform texture2D frame;
    layout(binding = 2) uniform sampler s;
    layout(binding = 3) buffer Y { vec4 y[]; };
    vec4 at(texture2D from, sampler by) { return texture(sampler2D(from, by), vec2(0)); }
    void main() { y[0] = at(frame, s) + vec4(texelFetch(table, ivec3(0), 0)); }
  )";
  const auto through =
      must(match(fetched, "f(table: read image3d r8ui, frame: read image2d, s: sampler, y: write f32[])"));
  EXPECT_THAT(through.interface.sampled, ElementsAre(Pair(1, 2)));
}

TEST_F(SpirvImages, OtherKindsAreRefusedWithBothSides) {
  const auto refused = [&](std::string_view signature, std::string_view words) {
    expect_refused(Errc::invalid_argument, R"(
      layout(binding = 0) uniform texture2D a;
      layout(binding = 1) uniform sampler b;
      layout(binding = 2) uniform sampler2D c;
      layout(binding = 3, r32f) uniform image3D d;
      layout(binding = 4) buffer Y { float y[]; };
      void main() { y[0] = texture(sampler2D(a, b), vec2(0)).x + texture(c, vec2(0)).x + imageLoad(d, ivec3(0)).x; }
    )",
                   signature, words);
  };
  refused("f(a: read image3d, b: sampler, c: read image2d sampled, d: read image3d, y: write f32[])",
          "has a sampled image (image2d of f32) at set 0, binding 0, and parameter \"a\" is declared (read image3d)");
  refused("f(a: read image2d, b: read f32[], c: read image2d sampled, d: read image3d, y: write f32[])",
          "has a sampler at set 0, binding 1, and parameter \"b\" is declared (read f32[])");
  refused("f(a: read image2d, b: sampler, c: read image2d, d: read image3d, y: write f32[])",
          "has an image with a sampler (image2d of f32) at set 0, binding 2, and parameter \"c\" is declared (read "
          "image2d)");
  refused("f(a: read image2d, b: sampler, c: read image2d sampled, d: read image3d rgba8, y: write f32[])",
          "has a storage image (image3d r32f) at set 0, binding 3, and parameter \"d\" is declared (read image3d "
          "rgba8)");
  refused("f(a: read image2d, b: sampler, c: read image2d sampled, d: read image3d, y: write image2d)",
          "has a storage buffer at set 0, binding 4, and parameter \"y\" is declared (write image2d)");
  refused("f(a: read image2d rgba8ui, b: sampler, c: read image2d sampled, d: read image3d, y: write f32[])",
          "has a sampled image (image2d of f32) at set 0, binding 0, and parameter \"a\" is declared (read image2d "
          "rgba8ui)");
  refused("f(a: read image2d, b: sampler, c: read image2d sampled, d: read image3d)",
          "where no parameter is bound (4 buffers, images and samplers are declared)");
  refused("f(b: read image2d, a: sampler, c: read image2d sampled, d: read image3d, y: write f32[])",
          "has \"a\" at set 0, binding 0, where parameter \"b\" is bound");
}

TEST_F(SpirvImages, ChannelsAreFloatsOrIntegers) {
  const auto source = [](std::string_view letter) {
    return "layout(binding = 0) uniform writeonly " + std::string(letter) + "image2D x; void main() { imageStore(x, " +
           "ivec2(0), " + std::string(letter) + "vec4(1)); }";
  };
  const std::vector<std::vector<std::string>> texels{
      {"rgba8", "r16_snorm", "rg16f", "r32f"}, {"rgba8i", "r32i"}, {"rg8ui", "rgba32ui"}};
  const std::vector<std::string> letters{"", "i", "u"};
  for (std::size_t code = 0; code < letters.size(); ++code) {
    for (std::size_t declared = 0; declared < texels.size(); ++declared) {
      for (const std::string& texel : texels[declared]) {
        const std::string signature = "f(x: write image2d " + texel + ")";
        EXPECT_EQ(match(source(letters[code]), signature).has_value(), code == declared) << letters[code] << texel;
      }
    }
  }
  expect_refused(Errc::invalid_argument, source("u"), "f(x: write image2d r32f)", "(image2d of u32)");
}

TEST_F(SpirvImages, AccessesAreComparedWithTheCode) {
  const auto source = [](std::string_view qualifier, std::string_view body) {
    return "layout(binding = 0, r32f) uniform " + std::string(qualifier) + " image2D x; void main() { " +
           std::string(body) + " }";
  };
  constexpr std::string_view load = "vec4 v = imageLoad(x, ivec2(0)); if (v.x > 1) barrier();";
  constexpr std::string_view store = "imageStore(x, ivec2(0), vec4(1));";
  using enum Errc;
  EXPECT_TRUE(match(source("", store), "f(x: write image2d r32f)"));  // the handle is loaded, no texel is
  EXPECT_TRUE(match(source("", load), "f(x: read image2d r32f)"));
  EXPECT_TRUE(match(source("", store), "f(x: read_write image2d r32f)"));
  expect_refused(invalid_argument, source("", store), "f(x: read image2d r32f)",
                 "writes at set 0, binding 0, and parameter \"x\" is declared (read)");
  expect_refused(invalid_argument, source("", load), "f(x: write image2d r32f)",
                 "reads at set 0, binding 0, and parameter \"x\" is declared (write)");
  expect_refused(invalid_argument, source("readonly", load), "f(x: read_write image2d r32f)", "only reads at set 0");
  expect_refused(invalid_argument, source("writeonly", "ivec2 size = imageSize(x); if (size.x > 1) barrier();"),
                 "f(x: read image2d r32f)", "only writes at set 0, binding 0");
  expect_refused(invalid_argument, R"(
    layout(binding = 0) uniform texture2D x;
    layout(binding = 1) buffer Y { vec4 y[]; };
    void main() { y[0] = texelFetch(x, ivec2(0), 0); }
  )",
                 "f(x: read_write image2d, y: write f32[])", "only reads at set 0, binding 0");
  expect_refused(invalid_argument, R"(
    layout(binding = 0, r32ui) uniform uimage2D x;
    void main() { imageAtomicAdd(x, ivec2(0), 1); }
  )",
                 "f(x: write image2d r32ui)", "reads at set 0, binding 0");
}

TEST_F(SpirvImages, OtherImagesAreRefusedByName) {
  const auto refused = [&](std::string_view declaration, std::string_view words) {
    expect_refused(Errc::unsupported, std::string(declaration) + " void main() { if (use()) barrier(); }", "f()",
                   "uses \"x\" (" + std::string(words) + ") at set 0, binding 0, which no signature can declare");
  };
  refused("layout(binding = 0, r32f) uniform image1D x; bool use() { return imageSize(x) > 1; }",
          "a storage image of one dimension");
  refused("layout(binding = 0, r32f) uniform image2DArray x; bool use() { return imageSize(x).x > 1; }",
          "a storage image with layers");
  refused("layout(binding = 0) uniform samplerCube x; bool use() { return textureSize(x, 0).x > 1; }",
          "an image with a sampler that is a cube");
  refused("layout(binding = 0) uniform texture2DMS x; bool use() { return texelFetch(x, ivec2(0), 0).x > 1; }",
          "a sampled image with several samples for a texel");
  refused("layout(binding = 0, r11f_g11f_b10f) uniform imageBuffer x; bool use() { return imageLoad(x, 0).x > 1; }",
          "a storage image in a buffer of the format r11f_g11f_b10f");
  refused("layout(binding = 0) uniform sampler2DShadow x; bool use() { return texture(x, vec3(0)) > 1; }",
          "an image with a sampler whose depths are compared");
  refused("layout(binding = 0, rgb10_a2) uniform image2D x; bool use() { return imageLoad(x, ivec2(0)).x > 1; }",
          "a storage image of the format rgb10_a2");
}

TEST_F(SpirvImages, AnArrayOfImagesIsAParameterEach) {
  const auto kernel = must(match(R"(
    layout(binding = 1, r32f) uniform readonly image2D x[2];
    layout(binding = 2) buffer Y { float y[]; };
    void main() { y[0] = imageLoad(x[0], ivec2(0)).x + imageLoad(x[1], ivec2(0)).x; }
  )",
                                 "f(a: read image2d r32f, b: read image2d r32f, y: write f32[])"));
  EXPECT_THAT(kernel.interface.descriptors,
              ElementsAre(Descriptor{0, 1, 0, storage_image}, Descriptor{0, 1, 1, storage_image}, Descriptor{0, 2}));
}

TEST_F(SpirvImages, LimitsAreNamedWithBothNumbers) {
  const auto refused = [&](const KernelLimits& limits, std::string_view words) {
    expect_refused(Errc::unsupported, all_kinds, declared_kinds, words, limits);
  };
  KernelLimits limits = roomy;
  limits.storage_images = 1;
  refused(limits, "has (2) storage images and texel buffers, and the limit of the device is (1)");
  limits = roomy;
  limits.sampled_images = 1;
  refused(limits, "has (2) sampled images and texel buffers, and the limit of the device is (1)");
  limits = roomy;
  limits.samplers = 1;
  refused(limits, "has (2) samplers, and the limit of the device is (1)");
  limits = roomy;
  limits.resources = 4;
  refused(limits, "has (5) buffers and images, and the limit of the device is (4)");
  limits.resources = 5;
  EXPECT_TRUE(match(all_kinds, declared_kinds, limits));
}

TEST_F(SpirvImages, InstrumentsLeaveThemAlone) {
  const auto code = compile(all_kinds);
  const std::vector<Entry> entries{must(Entry::parse(declared_kinds))};
  const auto made = must(instrument_image({"demo", "spirv", code, entries, {}}));
  ASSERT_EQ(made.accesses.size(), 1u);
  ASSERT_EQ(made.accesses[0].size(), 1u);  // the store to `sums`
  EXPECT_EQ(made.accesses[0][0].buffer, 0u);
  const backend::ProgramImage image{"demo", "spirv", made.code, made.entries, {}};
  KernelMatcher matcher(image, roomy, [](const Module&) { return Result<void>(); });
  const auto added = matcher.add(made.code, made.entries);
  ASSERT_TRUE(added) << added.error().text();
  const auto kernels = must(matcher.finish());
  EXPECT_EQ(kernels[0].interface.descriptors.back(), (Descriptor{0, 6}));
}

constexpr std::string_view texel_buffers = R"(
  layout(binding = 0) uniform samplerBuffer fetched;
  layout(binding = 1) uniform itextureBuffer plain[2];
  layout(binding = 2, rgba8) uniform writeonly imageBuffer stored;
  layout(binding = 3, r32ui) uniform uimageBuffer counts;
  layout(binding = 4) buffer Sums { float sums[]; };
  vec4 at(int i) { return texelFetch(fetched, i) + vec4(texelFetch(plain[1], i)); }
  void main() {
    imageStore(stored, 0, at(1));
    imageAtomicAdd(counts, 0, 1);
    sums[0] = 1;
  }
)";
constexpr std::string_view declared_texels =
    "f(fetched: read texel_buffer rgba16f, p: read texel_buffer r8i, q: read texel_buffer, stored: write texel_buffer "
    "rgba8, counts: read_write texel_buffer r32ui, sums: write f32[])";

TEST_F(SpirvImages, TexelBuffersAreFetchedOrStored) {
  const auto kernel = must(match(texel_buffers, declared_texels));
  EXPECT_THAT(kernel.interface.descriptors,
              ElementsAre(Descriptor{0, 0, 0, fetched_texels}, Descriptor{0, 1, 0, fetched_texels},
                          Descriptor{0, 1, 1, fetched_texels}, Descriptor{0, 2, 0, stored_texels},
                          Descriptor{0, 3, 0, stored_texels}, Descriptor{0, 4, 0, storage_buffer}));
  EXPECT_THAT(kernel.interface.sampled, IsEmpty());
  EXPECT_EQ(kernel.interface.needs[3].image.texel, Texel::rgba8);
  EXPECT_EQ(text_of(kernel.interface.needs[4].image), "texel_buffer r32ui");
  EXPECT_EQ(text_of(kernel.interface.needs[1].image), "texel_buffer of i32");
}

TEST_F(SpirvImages, TexelBuffersAreComparedWithTheCode) {
  const auto refused = [&](std::string_view from, std::string_view to, std::string_view words) {
    std::string signature(declared_texels);
    signature.replace(signature.find(from), from.size(), to);
    expect_refused(Errc::invalid_argument, texel_buffers, signature, words);
  };
  refused("fetched: read texel_buffer rgba16f", "fetched: read f32[]",
          "has a uniform texel buffer (texel_buffer of f32) at set 0, binding 0, and parameter \"fetched\" is declared "
          "(read f32[])");
  refused("fetched: read texel_buffer rgba16f", "fetched: read image2d", "is declared (read image2d)");
  refused("sums: write f32[]", "sums: write texel_buffer", "has a storage buffer at set 0, binding 4");
  refused("texel_buffer rgba16f", "texel_buffer r32i", "(texel_buffer of f32) at set 0, binding 0");
  refused("stored: write texel_buffer rgba8", "stored: write texel_buffer r32f",
          "has a storage texel buffer (texel_buffer rgba8) at set 0, binding 2, and parameter \"stored\" is declared "
          "(write texel_buffer r32f)");
  refused("fetched: read ", "fetched: read_write ", "only reads at set 0, binding 0");
  refused("stored: write ", "stored: read ", "only writes at set 0, binding 2");
  refused("counts: read_write ", "counts: write ", "reads at set 0, binding 3");
  refused("counts: read_write ", "counts: read ", "writes at set 0, binding 3");
  refused(", sums: write f32[]", "", "where no parameter is bound (5 buffers are declared)");
}

TEST_F(SpirvImages, TexelBuffersCountAsImages) {
  const auto refused = [&](const KernelLimits& limits, std::string_view words) {
    expect_refused(Errc::unsupported, texel_buffers, declared_texels, words, limits);
  };
  KernelLimits limits = roomy;
  limits.storage_images = 1;
  refused(limits, "has (2) storage images and texel buffers, and the limit of the device is (1)");
  limits = roomy;
  limits.sampled_images = 2;
  refused(limits, "has (3) sampled images and texel buffers, and the limit of the device is (2)");
  limits = roomy;
  limits.samplers = 0;
  EXPECT_TRUE(match(texel_buffers, declared_texels, limits));
}

TEST_F(SpirvImages, InstrumentsLeaveTexelBuffersAlone) {
  const auto code = compile(texel_buffers);
  const std::vector<Entry> entries{must(Entry::parse(declared_texels))};
  const auto made = must(instrument_image({"demo", "spirv", code, entries, {}}));
  ASSERT_EQ(made.accesses.at(0).size(), 1u);  // the store to `sums`
  EXPECT_EQ(made.accesses[0][0].buffer, 0u);
  const backend::ProgramImage image{"demo", "spirv", made.code, made.entries, {}};
  KernelMatcher matcher(image, roomy, [](const Module&) { return Result<void>(); });
  const auto added = matcher.add(made.code, made.entries);
  ASSERT_TRUE(added) << added.error().text();
  EXPECT_EQ(must(matcher.finish())[0].interface.descriptors.back(), (Descriptor{0, 5}));
}

TEST_F(SpirvImages, UniformBlocksOfScalarsStandAmongThem) {
  constexpr std::string_view source = R"(
    layout(binding = 0, r32f) uniform writeonly image2D x;
    layout(binding = 1) uniform Scalars { float scale; };
    layout(binding = 2) buffer Y { float y[]; };
    void main() { y[0] = scale; imageStore(x, ivec2(0), vec4(scale)); }
  )";
  constexpr std::string_view signature = "f(x: write image2d r32f, y: write f32[], scale: f32)";
  const auto kernel = must(match(source, signature));
  EXPECT_EQ(kernel.interface.scalar_block, (Descriptor{0, 1, 0, uniform_block}));
  const auto code = compile(source);
  const std::vector<Entry> entries{must(Entry::parse(signature))};
  const auto made = must(instrument_image({"demo", "spirv", code, entries, {}}));
  EXPECT_EQ(made.accesses.at(0).at(0).buffer, 0u);
}

TEST_F(SpirvImages, TypesThatComeInACircleAreRead) {
  test::SpirvWriter writer;  // an image whose channel is itself, and one with a sampler that is itself
  writer.add(17, {1}).add(15, {5, 1}, "main").add(16, {1, 17, 1, 1, 1}).add(71, {12, 33, 0}).add(71, {13, 33, 1});
  writer.add(19, {2}).add(33, {3, 2}).add(25, {10, 10, 1, 0, 0, 0, 2, 0}).add(27, {14, 14});
  writer.add(32, {11, 0, 10}).add(32, {15, 0, 14}).add(59, {11, 12, 0}).add(59, {15, 13, 0});
  writer.add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  const auto modules = must(read_modules(writer.bytes()));
  EXPECT_EQ(modules[0].bindings.at(0).image.dimensions, 2);
  EXPECT_EQ(modules[0].bindings.at(1).kind, other);
  EXPECT_THAT(modules[0].entries.at(0).combined, IsEmpty());
}

}  // namespace
}  // namespace pintle::spirv
