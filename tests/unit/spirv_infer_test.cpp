// Signatures that shaders say by themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pintle/must.h"
#include "spirv/glsl_program.h"
#include "spirv/infer.h"
#include "spirv/listing.h"
#include "spirv/matching.h"
#include "spirv/tables.h"
#include "spirv_support.h"

namespace pintle::spirv {
namespace {

using testing::HasSubstr;

constexpr std::string_view head = R"(#version 450
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
)";

Result<Entry> infer_in(std::span<const std::byte> code, std::string_view name = "f") {
  const auto modules = must(read_modules(code));
  auto entry = infer(modules[0], modules[0].entries[0], name);
  if (!entry) return entry;
  EXPECT_EQ(must(Entry::parse(entry->signature())), *entry);
  KernelCode kernel;
  const auto agrees = match_entry({~0u, ~0u}, modules[0], modules[0].entries[0], *entry, kernel);
  EXPECT_TRUE(agrees) << entry->signature();
  return entry;
}

std::string said_by(std::span<const std::byte> code) {
  const auto entry = infer_in(code);
  return entry ? entry->signature() : std::string(entry.error().message());
}

class SpirvInfer : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_glsl_program()) GTEST_SKIP() << "this machine has no GLSL compiler";
  }

  /// The code of a shader without its first lines, in groups of 8 unless it says another size.
  static std::vector<std::byte> compile(std::string_view source) {
    const bool has_size = source.find("local_size") != std::string_view::npos;
    const std::string text =
        std::string(head) + (has_size ? "" : "layout(local_size_x = 8) in;\n") + std::string(source);
    return must(compile_glsl({"f.comp", text, {}}));
  }

  static std::string said(std::string_view source) { return said_by(compile(source)); }

  static void expect_refused(Errc code, std::string_view source, std::string_view words) {
    const auto refused = infer_in(compile(source));
    ASSERT_FALSE(refused) << refused->signature();
    EXPECT_EQ(refused.error().code(), code);
    EXPECT_THAT(std::string(refused.error().message()), HasSubstr(std::string(words)));
  }
};

TEST(SpirvInferFiles, SayTheirSignatures) {
  EXPECT_EQ(said_by(test::spirv_file("layout")), "f(y: write f32[], x: f32, a: f32x3, b: f32) group 8");
  EXPECT_EQ(said_by(test::spirv_file("groups")), "f(res: write u32[], a: u32, b: u32) group 64");
  EXPECT_EQ(said_by(test::spirv_file("tree")), "f(res: write f32[], root: u64)");
  EXPECT_EQ(said_by(test::spirv_file("read_back")), "f(from: read i32[], to: read_write i32[]) group 8");
  EXPECT_EQ(said_by(test::spirv_file("saxpy")), "f(x: read f32[], y: read_write f32[], a: f32, n: u32)");
  EXPECT_EQ(said_by(test::spirv_file("sum")),
            "f(from: read u32[], Out: write u32[], n: u32, item: { turn_0: f32x3 at 0, turn_1: f32x3 at 16, turn_2: "
            "f32x3 at 32, at_0: f32x2 at 48, at_1: f32x2 at 64, at_2: f32x2 at 80 }) group 4,2");
}

TEST_F(SpirvInfer, BuffersStandInTheOrderOfSetBindingAndElement) {
  EXPECT_EQ(said(R"(
    layout(set = 1, binding = 0) buffer D { float d[]; };
    layout(set = 0, binding = 9) buffer C { float c[]; } cs[2];
    layout(set = 0, binding = 2) buffer B { float b[]; };
    void main() { b[0] = 1; cs[0].c[0] = 2; d[0] = 3; }
  )"),
            "f(b: write f32[], cs_0: write f32[], cs_1: write f32[], d: write f32[]) group 8");
}

TEST_F(SpirvInfer, NamesAreTheVariablesOrTheMembersOrTheBlocks) {
  EXPECT_EQ(said(R"(
    layout(binding = 0) buffer A { float x[]; } variable;
    layout(binding = 1) buffer B { float member[]; };
    layout(binding = 2) buffer Block { float first; float rest[]; };
    void main() { variable.x[0] = 1; member[0] = 2; rest[0] = 3; }
  )"),
            "f(variable: write f32[], member: write f32[], Block: write f32[]) group 8");
}

TEST_F(SpirvInfer, OneNameOfSeveralGetsNumbers) {
  EXPECT_EQ(said(R"(
    layout(push_constant) uniform P { float x; float B; } p;
    layout(binding = 0) buffer A { float y[]; } x;
    layout(binding = 1) buffer B { float first; float y[]; };
    void main() { x.y[0] = p.x; y[0] = p.B; }
  )"),
            "f(x_0: write f32[], B_1: write f32[], x_2: f32, B_3: f32) group 8");
}

TEST_F(SpirvInfer, ModulesWithoutNamesGetThem) {
  const auto code = compile(R"(
    layout(push_constant) uniform P { float x; vec2 y; layout(offset = 64) uint z; } p;
    layout(binding = 0) buffer A { float a[]; };
    layout(binding = 1) buffer B { float b[]; };
    void main() { a[0] = p.x + b[0] + p.y.x; }
  )");
  std::vector<std::uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), code.size());
  Listing listing = list_module(words);
  std::erase_if(listing.head, [](const Line& line) { return line.op == op::name || line.op == op::member_name; });
  EXPECT_EQ(said_by(code_of(listing)),
            "f(p0: write f32[], p1: read f32[], p2: { m0: f32 at 0, m1: f32x2 at 8, m2: u32 at 64 }) group 8");
}

TEST_F(SpirvInfer, AccessIsWhatTheCodeDoes) {
  EXPECT_EQ(said(R"(
    layout(binding = 0) buffer A { int a[]; };
    layout(binding = 1) buffer B { int b[]; };
    layout(binding = 2) buffer C { int c[]; };
    layout(binding = 3) buffer D { int d[]; };
    layout(binding = 4) readonly buffer E { int e[]; };
    layout(binding = 5) buffer F { int f[]; };
    int next(int at) { d[at] = a[at]; return b[at]; }
    void main() { b[0] = next(1) + e[0]; atomicAdd(c[0], 1); d[1] = f.length(); }
  )"),
            "f(a: read i32[], b: read_write i32[], c: read_write i32[], d: write i32[], e: read i32[], f: read i32[]) "
            "group 8");
}

TEST_F(SpirvInfer, WhatAnInstructionMayDoCountsAsBoth) {
  auto writer = test::SpirvWriter();
  // The buffer's element goes to modf, which writes to it; nothing else does.
  writer.add(17, {1}).add(11, {20}, "GLSL.std.450").add(15, {5, 1}, "main", {10}).add(16, {1, 17, 1, 1, 1});
  writer.add(5, {10}, "y").add(71, {10, 33, 0}).add(71, {10, 34, 0}).add(71, {9, 2}).add(72, {9, 0, 35, 0});
  writer.add(71, {8, 6, 4}).add(19, {2}).add(33, {3, 2}).add(22, {5, 32}).add(21, {6, 32, 1}).add(43, {6, 7, 0});
  writer.add(43, {5, 15, 0}).add(29, {8, 5}).add(30, {9, 8}).add(32, {11, 12, 9}).add(32, {12, 12, 5});
  writer.add(59, {11, 10, 12}).add(54, {2, 1, 0, 3}).add(248, {4}).add(65, {12, 13, 10, 7, 7});
  writer.add(12, {5, 14, 20, 35, 15, 13}).add(253, {}).add(56, {});
  EXPECT_EQ(said_by(writer.bytes()), "f(y: read_write f32[])");
}

TEST_F(SpirvInfer, DtypesAreThoseOfTheNumbers) {
  EXPECT_EQ(said(R"(
    struct Pair { float a; uint b; };
    struct Point { vec3 at; float weight; };
    layout(binding = 0) buffer A { double a[]; };
    layout(binding = 1) buffer B { uvec4 b[]; };
    layout(binding = 2) buffer C { Pair c[]; };
    layout(binding = 3) buffer D { Point d[]; };
    layout(binding = 4) buffer E { float16_t e[]; };
    layout(binding = 5) buffer G { int8_t g[]; };
    layout(binding = 6) buffer H { uint64_t h[]; };
    layout(binding = 7) buffer I { mat4 i[]; };
    void main() {
      a[0] = 1; b[0] = uvec4(1); c[0].b = 1; d[0].weight = 1; e[0] = float16_t(1); g[0] = int8_t(1); h[0] = 1;
      i[0] = mat4(1);
    }
  )"),
            "f(a: write f64[], b: write u32[], c: write u8[], d: write f32[], e: write f16[], g: write i8[], "
            "h: write u64[], i: write f32[]) group 8");
}

TEST_F(SpirvInfer, SeveralViewsOfOneBufferAreOneParameter) {
  EXPECT_EQ(said(R"(
    layout(binding = 0) buffer A { float a[]; };
    layout(binding = 0) buffer A4 { vec4 a4[]; };
    layout(binding = 1) buffer B { float b[]; };
    layout(binding = 1) buffer Bits { uint bits[]; };
    void main() { a[0] = a4[1].x; b[0] = 1; bits[1] = 2; }
  )"),
            "f(a: read_write f32[], b: write u8[]) group 8");
}

TEST_F(SpirvInfer, MembersOfPushConstantsAreParameters) {
  EXPECT_EQ(
      said(R"(
    struct Camera { vec3 eye; float zoom; };
    layout(buffer_reference) buffer Far { float value; };
    layout(push_constant, std430) uniform P { float a; uvec2 b; Camera camera; mat2x3 turn; int w[3]; Far far; layout(row_major) mat2x3 m[2]; };
    layout(binding = 0) buffer Y { float y[]; };
    void main() { y[0] = a + camera.zoom + turn[1][2] + w[1] + far.value + b.x; }
  )"),
      "f(y: write f32[], a: f32, b: u32x2, camera: { eye: f32x3 at 0, zoom: f32 at 12 }, turn: { turn_0: f32x3 at "
      "0, turn_1: f32x3 at 16 }, w: { w_0: i32 at 0, w_1: i32 at 4, w_2: i32 at 8 }, far: u64, m: { m_0_0: f32x2 at 0, "
      "m_0_1: f32x2 at 8, m_0_2: f32x2 at 16, "
      "m_1_0: f32x2 at 24, m_1_1: f32x2 at 32, m_1_2: f32x2 at 40 }) group 8");
}

TEST_F(SpirvInfer, PlacesThatNoListOfParametersHasMakeOneStruct) {
  EXPECT_EQ(said(R"(
    struct Item { vec2 at; uint n[2]; };
    layout(push_constant) uniform P { layout(offset = 16) vec2 a; layout(offset = 32) Item item; } p;
    layout(binding = 0) buffer Y { float y[]; };
    void main() { y[0] = p.a.x + p.item.at.y; }
  )"),
            "f(y: write f32[], p: { a: f32x2 at 16, item_at: f32x2 at 32, item_n_0: u32 at 40, item_n_1: u32 at 44 }) "
            "group 8");
}

TEST_F(SpirvInfer, ManyNumbersAreBytes) {
  EXPECT_EQ(said(R"(
    layout(push_constant) uniform Table { float values[65]; };
    layout(binding = 0) buffer Y { float y[]; };
    void main() { y[0] = values[gl_LocalInvocationID.x]; }
  )"),
            "f(y: write f32[], Table: bytes[260] align 4) group 8");
}

TEST_F(SpirvInfer, TheLastUniformBlockComesByValueWhereNothingIsPushed) {
  constexpr std::string_view blocks = R"(
    layout(binding = 0) uniform Table { vec4 table[65]; };
    layout(binding = 1) uniform Scalars { uint n; vec3 at; };
    layout(binding = 2) buffer Y { float y[]; };
  )";
  EXPECT_EQ(said(std::string(blocks).append("void main() { y[0] = table[n].x + at.x; }")),
            "f(table: read f32[], y: write f32[], n: u32, at: f32x3) group 8");
  EXPECT_EQ(said(std::string(blocks).append(
                "layout(push_constant) uniform P { float a; }; void main() { y[0] = table[n].x + at.x + a; }")),
            "f(table: read f32[], Scalars: read u8[], y: write f32[], a: f32) group 8");
}

TEST_F(SpirvInfer, ATableInAUniformBlockIsABuffer) {
  EXPECT_EQ(said(R"(
    layout(binding = 0) uniform Table { vec4 table[65]; };
    layout(binding = 1) uniform Pair { float one; } pairs[2];
    layout(binding = 3) buffer Y { float y[]; };
    void main() { y[0] = table[1].x + pairs[0].one; }
  )"),
            "f(table: read f32[], pairs_0: read f32[], pairs_1: read f32[], y: write f32[]) group 8");
}

TEST_F(SpirvInfer, ImagesAndSamplersHaveTheirKinds) {
  EXPECT_EQ(said(R"(
    layout(binding = 0, rgba8) uniform writeonly image2D a;
    layout(binding = 1, r32i) uniform iimage3D b;
    layout(binding = 2, rg16f) uniform image2D c;
    layout(binding = 3) uniform writeonly image2D d;
    layout(binding = 4) uniform texture2D e;
    layout(binding = 5) uniform sampler s;
    layout(binding = 6) uniform usampler3D g;
    layout(binding = 7, r32f) uniform image2D h[2];
    layout(binding = 8) uniform texture3D i;
    void main() {
      const vec4 all = texture(sampler2D(e, s), vec2(0)) + vec4(texture(g, vec3(0))) + texelFetch(i, ivec3(0), 0);
      imageStore(a, ivec2(0), all + imageLoad(c, ivec2(0)));
      imageStore(d, ivec2(0), all);
      imageStore(h[1], ivec2(0), all);
      imageAtomicAdd(b, ivec3(0), 1);
    }
  )"),
            "f(a: write image2d rgba8, b: read_write image3d r32i, c: read image2d rg16f, d: write image2d, "
            "e: read image2d, s: sampler, g: read image3d sampled, h_0: write image2d r32f, h_1: write image2d r32f, "
            "i: read image3d) group 8");
}

TEST_F(SpirvInfer, TexelBuffersHaveTheTexelThatTheFormatTells) {
  EXPECT_EQ(said(R"(
    layout(binding = 0) uniform samplerBuffer a;
    layout(binding = 1) uniform utextureBuffer b[2];
    layout(binding = 2, rgba16f) uniform imageBuffer c;
    layout(binding = 3, r32f) uniform readonly imageBuffer d;
    layout(binding = 4, r32i) uniform iimageBuffer e;
    layout(binding = 5) uniform writeonly imageBuffer f;
    layout(binding = 6, r8ui) uniform uimageBuffer g;
    void main() {
      const vec4 all = texelFetch(a, 0) + vec4(texelFetch(b[1], 1)) + imageLoad(d, 2);
      imageStore(c, 0, all);
      imageStore(f, 0, all);
      imageAtomicAdd(e, 0, 1);
      imageStore(g, 0, imageLoad(g, 1));
    }
  )"),
            "f(a: read texel_buffer, b_0: read texel_buffer, b_1: read texel_buffer, c: write texel_buffer rgba16f, "
            "d: read texel_buffer r32f, e: read_write texel_buffer r32i, f: write texel_buffer, "
            "g: read_write texel_buffer r8ui) group 8");
}

TEST_F(SpirvInfer, GroupsHaveTheirConstants) {
  EXPECT_EQ(said("layout(local_size_x = 4, local_size_y = 2, local_size_z = 3) in; void main() {}"), "f() group 4,2,3");
  EXPECT_EQ(said(R"(
    layout(local_size_x_id = 3, local_size_y_id = 3, local_size_z = 2) in;
    layout(constant_id = 3) const uint TILE = 8;
    void main() {}
  )"),
            "f() group TILE=8,TILE,2");
  EXPECT_EQ(said("layout(local_size_x = 32, local_size_x_id = 3) in; void main() {}"), "f() group 32");
  // A constant that is no side is given at load, and no part of a signature.
  EXPECT_EQ(said("layout(constant_id = 1) const uint N = 8; void main() { if (N > 8) return; }"), "f() group 8");
}

TEST_F(SpirvInfer, WhatNoSignatureCanDeclareIsNamed) {
  using enum Errc;
  expect_refused(
      unsupported, "layout(binding = 1, r32f) uniform image1D line; void main() { imageStore(line, 0, vec4(0)); }",
      "uses \"line\" (a storage image of one dimension) at set 0, binding 1, which no signature can declare");
  expect_refused(
      unsupported,
      "layout(binding = 0) buffer Y { float y[]; } all[]; void main() { all[gl_LocalInvocationID.x].y[0] = 1; }",
      "uses an array of any number of descriptors, \"all\", at set 0, binding 0");
  expect_refused(unsupported, "layout(binding = 0) buffer Y { float y[]; } all[257]; void main() { all[1].y[0] = 1; }",
                 "uses an array of 257 descriptors");
  expect_refused(invalid_argument,
                 "layout(binding = 0) buffer A { float a[]; } as[200]; layout(binding = 1) buffer B { float b[]; } "
                 "bs[100]; void main() { as[1].a[0] = 1; bs[1].b[0] = 1; }",
                 "has no signature");
}

TEST_F(SpirvInfer, ANameThatIsNoneIsRefused) {
  const auto refused = infer_in(compile("void main() {}"), "blur.main");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "has a name that no signature can have");
}

TEST(SpirvInferModules, WithoutAGroupSizeAreRefused) {
  auto writer = test::SpirvWriter();
  writer.add(17, {1}).add(15, {5, 1}, "main");
  writer.add(19, {2}).add(33, {3, 2}).add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  EXPECT_EQ(said_by(writer.bytes()), "has no group size");
}

TEST(SpirvInferModules, ManyTypesWithoutANumberTakeNoTime) {
  auto writer = test::SpirvWriter();
  writer.add(17, {1}).add(15, {5, 1}, "main", {10}).add(16, {1, 17, 1, 1, 1});
  writer.add(71, {8, 6, 4}).add(71, {9, 2}).add(72, {9, 0, 35, 0}).add(19, {2}).add(33, {3, 2}).add(21, {6, 32, 0});
  writer.add(43, {6, 7, 0x7fffffff}).add(30, {5}).add(28, {8, 5, 7}).add(30, {9, 8}).add(32, {11, 9, 9});
  writer.add(59, {11, 10, 9}).add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  EXPECT_THAT(said_by(writer.bytes()), HasSubstr("has no signature"));
}

TEST(SpirvInferModules, AGroupOfNoItemsIsRefused) {
  auto writer = test::SpirvWriter();
  writer.add(17, {1}).add(15, {5, 1}, "main").add(16, {1, 17, 0, 1, 1});
  writer.add(19, {2}).add(33, {3, 2}).add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  EXPECT_EQ(said_by(writer.bytes()), "has a group size of 0 before it is loaded");
}

}  // namespace
}  // namespace pintle::spirv
