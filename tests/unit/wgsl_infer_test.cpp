// The signature that an entry point of WGSL says.
#include "wgsl/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace pintle::wgsl {
namespace {

using testing::HasSubstr;

/// The signature of the text's first entry point, or what is wrong.
std::string said(std::string_view text) {
  const auto unit = read_unit(text);
  if (!unit) return unit.error().text();
  const auto entry = infer(*unit, unit->module.entries.at(0));
  return entry ? entry->signature() : std::string(entry.error().message());
}

constexpr std::string_view buffers = R"(
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(0) var<storage, read> x: array<f32>;
)";

std::string with_buffers(std::string_view rest) { return std::string(buffers).append(rest); }

TEST(WgslInfer, BuffersStandByBindingAndValuesBehindThem) {
  EXPECT_EQ(said(with_buffers(R"(
struct Scalars { a: f32, n: u32, at: vec2<u32> }
@group(0) @binding(2) var<uniform> scalars: Scalars;
@compute @workgroup_size(64) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < scalars.n) { y[id.x] = scalars.a * x[id.x] + y[id.x]; }
})")),
            "saxpy(x: read f32[], y: read_write f32[], a: f32, n: u32, at: u32x2) group 64");
}

TEST(WgslInfer, ConstantOfThePipelineIsASideOfTheGroup) {
  EXPECT_EQ(said("override tile: u32 = 16; @compute @workgroup_size(tile, tile, 2) fn f() {}"),
            "f() group tile=16,tile,2");
}

TEST(WgslInfer, ImmediateComesByValue) {
  EXPECT_EQ(said("var<immediate> n: u32; @group(0) @binding(0) var<storage, read_write> y: array<vec4u>;"
                 "@compute @workgroup_size(1) fn f() { y[0] = vec4u(n); }"),
            "f(y: write u32[], n: u32)");
}

TEST(WgslInfer, AccessIsWhatTheEntryDoes) {
  const auto access = [](std::string_view body) {
    return said(
        with_buffers("fn other(p: ptr<storage, array<f32>, read_write>) { (*p)[0] = 1; }"
                     "@compute @workgroup_size(1) fn f() { " +
                     std::string(body) + " }"));
  };
  EXPECT_EQ(access("y[0] = x[0];"), "f(x: read f32[], y: write f32[])");
  EXPECT_EQ(access("y[0] += 1;"), "f(y: read_write f32[])");
  EXPECT_EQ(access("let z = y[0];"), "f(y: read f32[])");
  EXPECT_EQ(access("let n = arrayLength(&y);"), "f(y: read f32[])");
  EXPECT_EQ(access("let z = y[0]; other(&y);"), "f(y: read_write f32[])");
  EXPECT_EQ(access("let z = y[0]; let p = &(y[1]); *p = 2;"), "f(y: read_write f32[])");
}

TEST(WgslInfer, TableOfManyNumbersIsABuffer) {
  EXPECT_EQ(said("@group(0) @binding(0) var<uniform> table: array<vec4f, 32>;"
                 "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
                 "@compute @workgroup_size(1) fn f() { y[0] = table[1].x; }"),
            "f(table: read f32[], y: write f32[])");
}

TEST(WgslInfer, WhatNoSignatureCanSayIsNamed) {
  EXPECT_THAT(said("@compute @workgroup_size(2 * 4) fn f() {}"), HasSubstr("group size that has to be computed"));
  EXPECT_THAT(
      said("@group(0) @binding(0) var image: texture_2d<f32>; @group(0) @binding(1) var<storage, read_write> y: "
           "array<f32>; @compute @workgroup_size(1) fn f() { y[0] = textureLoad(image, vec2(0), 0).x; }"),
      HasSubstr("texture_2d"));
}

}  // namespace
}  // namespace pintle::wgsl
