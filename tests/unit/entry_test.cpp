#include "pintle/entry.h"
#include "pintle/must.h"

#include <gtest/gtest.h>

#include "unit/golden.h"

namespace pintle {
namespace {

std::string refusal(std::string_view signature) {
  const auto entry = Entry::parse(signature);
  if (entry) return "accepted: " + entry->signature();
  EXPECT_EQ(entry.error().code(), Errc::invalid_argument);
  return entry.error().text();
}

TEST(Access, NamesReadBack) {
  for (const Access access : {Access::read, Access::write, Access::read_write}) {
    EXPECT_EQ(parse_access(name(access)), access);
  }
  EXPECT_EQ(parse_access("readwrite"), std::nullopt);
  EXPECT_EQ(name(static_cast<Access>(0)), "unknown");
  EXPECT_TRUE(reads(Access::read_write) && writes(Access::read_write));
  EXPECT_FALSE(writes(Access::read) || reads(Access::write));
}

TEST(Entry, ReadsASignature) {
  const Entry entry = must(Entry::parse("saxpy(a: f32, x: read f32[], y: read_write bf16[], n: u32) group 256"));
  EXPECT_EQ(entry.name, "saxpy");
  EXPECT_EQ(entry.group_size, (Grid{256, 1, 1}));
  EXPECT_EQ(entry.local_bytes, 0u);
  ASSERT_EQ(entry.parameters.size(), 4u);
  EXPECT_EQ(entry.parameters[0], (Parameter{"a", Parameter::Kind::scalar, DType::f32, Access::read}));
  EXPECT_EQ(entry.parameters[1], (Parameter{"x", Parameter::Kind::buffer, DType::f32, Access::read}));
  EXPECT_EQ(entry.parameters[2], (Parameter{"y", Parameter::Kind::buffer, DType::bf16, Access::read_write}));
  EXPECT_EQ(entry.parameters[3], (Parameter{"n", Parameter::Kind::scalar, DType::u32, Access::read}));
}

TEST(Entry, ReadsOptionsInAnyOrderAndSpacing) {
  const Entry entry = must(Entry::parse("\n blur ( in : read f32 [ ] ,\tout:write u8[])local 1024 group 16 , 8,2 "));
  EXPECT_EQ(entry.group_size, (Grid{16, 8, 2}));
  EXPECT_EQ(entry.local_bytes, 1024u);
  EXPECT_EQ(entry.parameters.size(), 2u);
}

TEST(Entry, WhatIsLeftOutHasItsDefault) {
  const Entry entry = must(Entry::parse("nothing()"));
  EXPECT_TRUE(entry.parameters.empty());
  EXPECT_EQ(entry.group_size, Grid{});
  EXPECT_EQ(must(Entry::parse("k() group 4,2")).group_size, (Grid{4, 2, 1}));
}

TEST(Entry, NamesMayBeKeywords) {
  const Entry entry = must(Entry::parse("group(read: read f32[], local: f32) group 2"));
  EXPECT_EQ(entry.name, "group");
  EXPECT_EQ(entry.parameters[0].name, "read");
}

TEST(Entry, PrintsWhatItReads) {
  for (const char* const text : {
           "nothing()",
           "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 256",
           "blur(in: read f32[], out: write f8_e4m3fn[]) group 16,16 local 1024",
           "k(c: complex64, b: bool) group 1,1,64",
           "k() group 1,2",
           "k() local 4294967295",
           "mm(a: read f32[m,k], c: write f32[m,4] align 64, m: u32, k: i64) group TILE=16,TILE",
           "k(v: f32x3, w: u8x16, tile: local f64[], b: bytes[24] align 8) group X=2,4,X subgroup 32 local 16",
           "k(p: { x: f32 at 0, a: f32x3 at 16, b: f32 at 28 }, q: { d: u8 at 0, e: u64 at 4 })",
       }) {
    const Entry entry = must(Entry::parse(text));
    EXPECT_EQ(entry.signature(), text);
    EXPECT_EQ(must(Entry::parse(entry.signature())), entry);
  }
}

TEST(Entry, VectorsLieAsInKernels) {
  const Entry entry = must(Entry::parse("k(a: f32x3, b: u8x2, c: f64x16)"));
  EXPECT_EQ(entry.parameters[0].kind, Parameter::Kind::value);
  EXPECT_EQ(entry.parameters[0].bytes, 12u);
  EXPECT_EQ(entry.parameters[0].alignment, 16u);
  EXPECT_EQ(entry.parameters[0].lanes, 3u);
  EXPECT_EQ(entry.parameters[1].bytes, 2u);
  EXPECT_EQ(entry.parameters[2].alignment, 128u);
}

// The next vector of three begins where that of four would: the signature says so.
TEST(Entry, ABufferOfVectorsOfThreeSaysHowFarTheyLieApart) {
  const Entry entry = must(Entry::parse("f(x: read f32x3[n], h: write f16x3[] align 32, n: u32)"));
  EXPECT_EQ(entry.signature(), "f(x: read f32x3[n] align 16, h: write f16x3[] align 32, n: u32)");
  EXPECT_EQ(must(Entry::parse(entry.signature())), entry);
  EXPECT_EQ(entry.parameters[0].kind, Parameter::Kind::buffer);
  EXPECT_EQ(entry.parameters[0].lanes, 3u);
  EXPECT_EQ(must(Entry::parse("f(x: read f64x3[])")).parameters[0].alignment, 32u);
  EXPECT_FALSE(Entry::parse("f(x: read f32 x3[])"));
}

TEST(Entry, MembersLieWhereCPutsThem) {
  struct alignas(16) Camera {
    float x;
    alignas(16) float eye[3];
    float fov;
    std::uint64_t id;
  };
  const Entry entry = must(Entry::parse("k(p: {x: f32, eye: f32x3, fov: f32, id: u64})"));
  const Parameter& camera = entry.parameters.at(0);
  EXPECT_EQ(camera.bytes, sizeof(Camera));
  EXPECT_EQ(camera.alignment, 16u);
  ASSERT_EQ(camera.members.size(), 4u);
  EXPECT_EQ(camera.members[1].offset, 16u);
  EXPECT_EQ(camera.members[2].offset, 28u);
  EXPECT_EQ(camera.members[3].offset, 32u);
  EXPECT_EQ(must(Entry::parse("k(p: bytes[6])")).parameters[0].alignment, 1u);
  EXPECT_EQ(must(Entry::parse("k(p: bytes[8])")).parameters[0].alignment, 4u);
}

TEST(Entry, ReadsImagesAndSamplers) {
  const Entry entry =
      must(Entry::parse("blur(in: read image2d rgba8 sampled, any: read_write image3d, out:write image2d\n r32f, s : "
                        "sampler) group 8,8"));
  ASSERT_EQ(entry.parameters.size(), 4u);
  const auto& [in, any, out, s] =
      std::tie(entry.parameters[0], entry.parameters[1], entry.parameters[2], entry.parameters[3]);
  for (const Parameter* const image : {&in, &any, &out}) EXPECT_EQ(image->kind, Parameter::Kind::image);
  EXPECT_EQ(in.dimensions, 2);
  EXPECT_EQ(in.texel, Texel::rgba8);
  EXPECT_TRUE(in.is_sampled);
  EXPECT_EQ(in.access, Access::read);
  EXPECT_EQ(any.dimensions, 3);
  EXPECT_EQ(any.texel, std::nullopt);
  EXPECT_FALSE(any.is_sampled);
  EXPECT_EQ(any.access, Access::read_write);
  EXPECT_EQ(out.texel, Texel::r32f);
  EXPECT_EQ(s.kind, Parameter::Kind::sampler);
  EXPECT_EQ(
      entry.signature(),
      "blur(in: read image2d rgba8 sampled, any: read_write image3d, out: write image2d r32f, s: sampler) group 8,8");
  EXPECT_EQ(must(Entry::parse(entry.signature())), entry);
}

TEST(Entry, ReadsEveryTexel) {
  for (auto texel = Texel::r8; is_texel(texel); texel = static_cast<Texel>(static_cast<int>(texel) + 1)) {
    for (const std::string kind : {"image3d ", "texel_buffer "}) {
      const std::string text = "k(x: write " + kind + std::string(name(texel)) + ")";
      EXPECT_EQ(must(Entry::parse(text)).parameters[0].texel, texel) << text;
      EXPECT_EQ(must(Entry::parse(text)).signature(), text);
    }
    EXPECT_EQ(parse_texel(name(texel)), texel);
  }
}

TEST(Entry, ReadsTexelBuffers) {
  const Entry entry =
      must(Entry::parse("sum(in: read texel_buffer rgba32f, any:read_write  texel_buffer,out: write "
                        "texel_buffer\tr32ui) group 64"));
  ASSERT_EQ(entry.parameters.size(), 3u);
  const auto& [in, any, out] = std::tie(entry.parameters[0], entry.parameters[1], entry.parameters[2]);
  for (const Parameter* const texels : {&in, &any, &out}) EXPECT_EQ(texels->kind, Parameter::Kind::texel_buffer);
  EXPECT_EQ(in.texel, Texel::rgba32f);
  EXPECT_EQ(in.access, Access::read);
  EXPECT_EQ(any.texel, std::nullopt);
  EXPECT_EQ(any.access, Access::read_write);
  EXPECT_EQ(out.texel, Texel::r32ui);
  EXPECT_EQ(out.access, Access::write);
  EXPECT_EQ(entry.signature(),
            "sum(in: read texel_buffer rgba32f, any: read_write texel_buffer, out: write texel_buffer r32ui) group 64");
  EXPECT_EQ(must(Entry::parse(entry.signature())), entry);
}

TEST(Entry, ReadsOptionalBuffers) {
  const Entry entry =
      must(Entry::parse("attention(q: read f32[n], mask:optional  read f32[n] align 16, out: optional write f32x3[],"
                        "optional: optional\tread_write u8[], n: u32) group 64"));
  std::vector<bool> optional;
  for (const Parameter& parameter : entry.parameters) optional.push_back(parameter.is_optional);
  EXPECT_EQ(optional, (std::vector<bool>{false, true, true, true, false}));
  EXPECT_EQ(entry.parameters[1].access, Access::read);
  EXPECT_EQ(entry.parameters[1].alignment, 16u);
  EXPECT_EQ(entry.parameters[1].shape, (std::vector<Side>{{0, "n"}}));
  EXPECT_EQ(entry.parameters[2].access, Access::write);
  EXPECT_EQ(entry.signature(),
            "attention(q: read f32[n], mask: optional read f32[n] align 16, out: optional write f32x3[] align 16, "
            "optional: optional read_write u8[], n: u32) group 64");
  EXPECT_EQ(must(Entry::parse(entry.signature())), entry);
  EXPECT_NE(must(Entry::parse("k(x: read f32[])")), must(Entry::parse("k(x: optional read f32[])")));
}

TEST(Entry, SidesOfGroupsMayBeConstants) {
  const Entry entry = must(Entry::parse("k() group X=8,4,X"));
  EXPECT_EQ(entry.group_size, (Grid{8, 4, 8}));
  EXPECT_EQ(entry.group_constants, (std::array<std::string, 3>{"X", "", "X"}));
  EXPECT_EQ(must(Entry::parse("k() group X=1")).signature(), "k() group X=1");
}

TEST(Entry, TakesAtMost256Parameters) {
  std::string list = "p0: f32";
  for (int index = 1; index < 256; ++index) list += ", p" + std::to_string(index) + ": f32";
  EXPECT_EQ(must(Entry::parse("k(" + list + ")")).parameters.size(), 256u);
  EXPECT_NE(refusal("k(" + list + ", p256: f32)").find("(256 parameters are the limit)"), std::string::npos);
}

TEST(Entry, GroupsCountIn32Bits) {
  EXPECT_EQ(must(Entry::parse("k() group 65535,65537")).group_size, (Grid{65535, 65537, 1}));
  test::expect_golden("errors/entry_group_too_large", refusal("k() group 65536,65536"));
  EXPECT_NE(refusal("k() group 4294967295,4294967295,4294967295").find("more items than the limit (4294967295)"),
            std::string::npos);
}

TEST(Entry, RefusalsNameTheColumn) {
  std::string all;
  for (const char* const text : {
           "",
           "9lives()",
           "k",
           "k(",
           "k(x)",
           "k(x: f3)",
           "k(x: f32[])",
           "k(x: read f32)",
           "k(x: read)",
           "k(x: read read f32[])",
           "k(x: f32 y: f32)",
           "k(x: f32,)",
           "k(x: f32, x: u32)",
           "k() group",
           "k() group 0",
           "k() group 4294967296",
           "k() group 2,,2",
           "k() group 2,2,2,2",
           "k() group 2 group 2",
           "k() local -1",
           "k() lokal 5",
           "k() \x01",
           "k\xff()",
           "k(x: \"f32\")",
           "k(x: f32x5)",
           "k(x: f32x1)",
           "k(x: f32x)",
           "k(x: read f32x4[])",
           "k(x: read f32[0])",
           "k(x: read f32[n)",
           "k(x: read f32[1,2,3,4,5,6,7,8,9])",
           "k(x: read f32[n])",
           "k(x: read f32[n], n: f32)",
           "k(x: read f32[x])",
           "k(x: read f32[] align 3)",
           "k(x: read f32[] align 8192)",
           "k(x: local f32)",
           "k(x: local f32[4])",
           "k(x: bytes[0])",
           "k(x: bytes[5000])",
           "k(x: bytes 4)",
           "k(x: {})",
           "k(x: { a: f32, a: f32 })",
           "k(x: { a: f32 at 4, b: f32 at 6 })",
           "k(x: { a: f32 b: f32 })",
           "k(x: { a: read f32[] })",
           "k(x: { a: f32 at 4096 })",
           "k(x: read image2d r9)",
           "k(x: read image2d r8 r8)",
           "k(x: write image2d sampled)",
           "k(x: read_write image3d r8 sampled)",
           "k(x: read image2d sampled r8)",
           "k(x: read image1d)",
           "k(x: image2d)",
           "k(x: read image2d[])",
           "k(x: read texel_buffer r9)",
           "k(x: read texel_buffer r8 r8)",
           "k(x: read texel_buffer sampled)",
           "k(x: texel_buffer r8)",
           "k(x: read texel_buffer[])",
           "k(x: read texel_buffer r8[4])",
           "k(x: write texel_buffer align 16)",
           "k(x: { a: read texel_buffer })",
           "k(x: read sampler)",
           "k(x: sampler linear)",
           "k(x: optional)",
           "k(x: optional f32)",
           "k(x: optional local f32[])",
           "k(x: optional sampler)",
           "k(x: optional { a: f32 })",
           "k(x: optional optional read f32[])",
           "k(x: read optional f32[])",
           "k(x: optional read image2d)",
           "k(x: optional write texel_buffer r8)",
           "k(x: optional read f32)",
           "k() group X",
           "k() group X=0",
           "k() group X=2,X=2",
           "k() subgroup 3",
           "k() subgroup 8 subgroup 8",
       }) {
    all += (all.empty() ? "" : "\n") + refusal(text);
  }
  test::expect_golden("errors/entry", all);
}

TEST(Entry, LongSignaturesAreCutInMessages) {
  const std::string text = refusal("k(" + std::string(100'000, 'x'));
  EXPECT_LT(text.size(), 400u);
}

}  // namespace
}  // namespace pintle
