// What a WGSL text says of its entry points.
#include "wgsl/unit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "wgsl/declarations.h"
#include "wgsl/layout.h"

namespace pintle::wgsl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::string_view saxpy = R"(
// A comment: @compute fn not_here() {}
/* nested /* comment */ */
struct Scalars { a: f32, n: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(7) var<uniform> scalars: Scalars;
override side: u32 = 64;
@compute @workgroup_size(side, 2)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < scalars.n) { y[id.x] = scalars.a * x[id.x] + y[id.x]; }
}
)";

Unit unit_of(std::string_view text) {
  auto unit = read_unit(text);
  EXPECT_TRUE(unit) << (unit ? "" : unit.error().text());
  return unit ? *std::move(unit) : Unit{};
}

const spirv::Binding& binding_of(const Unit& unit, std::string_view name) {
  static const spirv::Binding none;
  const auto found = std::ranges::find(unit.module.bindings, name, &spirv::Binding::name);
  EXPECT_NE(found, unit.module.bindings.end()) << name;
  return found == unit.module.bindings.end() ? none : *found;
}

std::vector<std::string> names_of(const Unit& unit, const std::vector<std::uint32_t>& ids) {
  std::vector<std::string> names;
  for (const auto& binding : unit.module.bindings) {
    if (std::ranges::count(ids, binding.id) != 0) names.push_back(binding.name);
  }
  return names;
}

Layout layout_in(std::string_view text, std::string_view variable) {
  const auto all = declarations_of(text);
  EXPECT_TRUE(all);
  const auto found = std::ranges::find(all->variables, variable, &Variable::name);
  EXPECT_NE(found, all->variables.end());
  return layout_of(*all, found->type);
}

TEST(WgslUnit, FindsBindings) {
  const Unit unit = unit_of(saxpy);
  ASSERT_EQ(unit.module.bindings.size(), 3U);
  const auto& x = binding_of(unit, "x");
  EXPECT_EQ(x.kind, spirv::DescriptorKind::storage_buffer);
  EXPECT_FALSE(x.is_writable);
  EXPECT_EQ(x.binding, 0U);
  ASSERT_EQ(x.block.fields.size(), 1U);
  EXPECT_EQ(x.block.fields[0].number, (base::Number{base::Number::Kind::floating, 4}));
  EXPECT_TRUE(binding_of(unit, "y").is_writable);
  const auto& scalars = binding_of(unit, "scalars");
  EXPECT_EQ(scalars.kind, spirv::DescriptorKind::uniform_block);
  EXPECT_EQ(scalars.set, 1U);
  EXPECT_EQ(scalars.binding, 7U);
  EXPECT_EQ(scalars.block.size, 8U);
  ASSERT_EQ(scalars.block.fields.size(), 2U);
  EXPECT_EQ(scalars.block.fields[1].name, "n");
  EXPECT_EQ(scalars.block.fields[1].offset, 4U);
}

TEST(WgslUnit, FindsTheEntryAndWhatItTouches) {
  const Unit unit = unit_of(saxpy);
  ASSERT_EQ(unit.module.entries.size(), 1U);
  const spirv::EntryPoint& entry = unit.module.entries[0];
  EXPECT_EQ(entry.name, "saxpy");
  EXPECT_THAT(names_of(unit, entry.used), ElementsAre("x", "y", "scalars"));
  EXPECT_THAT(names_of(unit, entry.written), ElementsAre("y"));
  EXPECT_THAT(names_of(unit, entry.read), ElementsAre("x", "y", "scalars"));
  ASSERT_TRUE(entry.group_size);
  EXPECT_EQ((*entry.group_size)[0].value, 64U);
  EXPECT_TRUE((*entry.group_size)[0].spec_id);
  EXPECT_EQ((*entry.group_size)[1].value, 2U);
  EXPECT_EQ((*entry.group_size)[2].value, 1U);
}

TEST(WgslUnit, FindsConstantsWithTheirKeys) {
  const Unit unit = unit_of(
      "@id(7) override a: f32 = 1.5; override b = true; override c = 3u; override d = 3; override e: f16; const f = "
      "2;");
  EXPECT_THAT(unit.keys, ElementsAre("7", "b", "c", "d", "e"));
  using enum spirv::SpecConstant::Kind;
  const auto kind = [&](std::size_t at) { return unit.module.constants[at].kind; };
  EXPECT_EQ(kind(0), floating);
  EXPECT_EQ(kind(1), boolean);
  EXPECT_EQ(kind(2), unsigned_integer);
  EXPECT_EQ(kind(3), integer);
  EXPECT_EQ(unit.module.constants[4].bits, 16U);
  for (std::uint32_t at = 0; at < 5; ++at) EXPECT_EQ(unit.module.constants[at].spec_id, at);
}

TEST(WgslUnit, AConstantWithASignHasTheTypeOfItsNumber) {
  const Unit unit = unit_of("override a = -1.5; override b = -3; override c = - 2; override d = -0x1e; const e = -4;");
  using enum spirv::SpecConstant::Kind;
  const auto kind = [&](std::size_t at) { return unit.module.constants[at].kind; };
  EXPECT_EQ(kind(0), floating);
  EXPECT_EQ(kind(1), integer);
  EXPECT_EQ(kind(2), integer);
  EXPECT_EQ(kind(3), integer);
}

TEST(WgslUnit, FollowsCallsAtomicsAndPlaces) {
  const Unit unit = unit_of(R"(
struct Item { at: array<u32, 4>, count: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> items: array<Item>;
@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> unused: array<u32>;
@group(0) @binding(3) var<storage, read_write> shadowed: array<u32>;
@group(0) @binding(4) var<storage, read_write> counted: array<u32>;
fn helper(i: u32) { items[i].at[i + 1u] = 5u; }
@compute @workgroup_size(1) fn first(@builtin(global_invocation_id) id: vec3<u32>) {
  var shadowed = 3u;
  shadowed = 4u;
  helper(id.x);
  atomicAdd(&total, 1u);
  counted[0] += 1u;
}
@compute @workgroup_size(1) fn second() { let n = atomicLoad(&total); counted[1]++; if (counted[2] == n) { return; } }
)");
  ASSERT_EQ(unit.module.entries.size(), 2U);
  const auto& first = unit.module.entries[0];
  EXPECT_THAT(names_of(unit, first.used), UnorderedElementsAre("items", "total", "shadowed", "counted"));
  EXPECT_THAT(names_of(unit, first.written), UnorderedElementsAre("items", "total", "counted"));
  EXPECT_THAT(names_of(unit, first.read), UnorderedElementsAre("total", "counted"));
  const auto& second = unit.module.entries[1];
  EXPECT_THAT(names_of(unit, second.written), ElementsAre("counted"));
  EXPECT_THAT(names_of(unit, second.read), UnorderedElementsAre("total", "counted"));
}

TEST(WgslUnit, TakesImmediatesAsPushConstants) {
  const Unit unit = unit_of("struct S { a: f32, n: u32 } var<immediate> s: S;");
  ASSERT_TRUE(unit.module.push_constants);
  EXPECT_EQ(unit.module.push_constants->block.fields.size(), 2U);
  EXPECT_THAT(unit.module.bindings, IsEmpty());
}

TEST(WgslUnit, GroupThatHasToBeComputedIsNotKnown) {
  const Unit unit =
      unit_of("const n = 8; @compute @workgroup_size(n, 2) fn a() {} @compute @workgroup_size(n * 2) fn b() {}");
  ASSERT_EQ(unit.module.entries.size(), 2U);
  ASSERT_TRUE(unit.module.entries[0].group_size);
  EXPECT_EQ((*unit.module.entries[0].group_size)[0].value, 8U);
  EXPECT_FALSE(unit.module.entries[1].group_size);
}

TEST(WgslUnit, NamesTheLineOfWhatIsNoDeclaration) {
  const auto wrong = read_unit("struct S { a: f32 }\n  nonsense here;");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(wrong.error().message()), HasSubstr("Line 2, column 3"));
  EXPECT_FALSE(read_unit("/* no end"));
  EXPECT_FALSE(read_unit("fn f( {"));
  EXPECT_FALSE(read_unit("var<storage"));
}

TEST(WgslUnit, MakesEveryStorageBufferWritable) {
  const auto made = with_writable_buffers(
      "@group(0) @binding(0) var<storage, read> a: array<u32>; @group(0) @binding(1) var<storage> b: array<u32>;\n"
      "@group(0) @binding(2) var<storage, read_write> c: array<u32>; @group(0) @binding(3) var<uniform> d: u32;");
  ASSERT_TRUE(made);
  EXPECT_EQ(
      *made,
      "@group(0) @binding(0) var<storage, read_write> a: array<u32>; @group(0) @binding(1) var<storage, read_write> b: "
      "array<u32>;\n"
      "@group(0) @binding(2) var<storage, read_write> c: array<u32>; @group(0) @binding(3) var<uniform> d: u32;");
}

TEST(WgslUnit, TextsThatNeverEndAreRefused) {
  const auto refusal = [](std::string_view text) {
    const auto unit = read_unit(text);
    return unit ? std::string() : std::string(unit.error().message());
  };
  EXPECT_THAT(refusal("var<private> x: array<f32;"), HasSubstr("\">\""));
  EXPECT_THAT(refusal("alias A = array<f32);"), HasSubstr("\">\""));
  std::string deep = "alias A = ";
  for (int depth = 0; depth < 100000; ++depth) deep += "array<";
  EXPECT_THAT(refusal(deep), HasSubstr("less deep"));
}

TEST(WgslUnit, ChainsOfCallsMayBeLong) {
  std::string text = "@group(0) @binding(0) var<storage, read_write> y: array<f32>; fn f100000() { y[0] = 1; }";
  for (int at = 99999; at >= 0; --at) text += fmt::format("fn f{}() {{ f{}(); }}", at, at + 1);
  const Unit unit = unit_of(text + "@compute @workgroup_size(1) fn main() { f0(); }");
  EXPECT_EQ(unit.module.entries.at(0).written.size(), 1U);
}

TEST(WgslUnit, GroupBeyondWordsIsNotKnown) {
  EXPECT_FALSE(unit_of("@compute @workgroup_size(4294967297) fn f() {}").module.entries.at(0).group_size);
}

TEST(WgslLayout, KnowsVectorsMatricesAndArrays) {
  const auto size_of = [](const std::string& type) {
    return layout_in("alias T = vec2<f32>; var<private> v: " + type + ";", "v").size;
  };
  EXPECT_EQ(size_of("f32"), 4U);
  EXPECT_EQ(size_of("vec3<f32>"), 12U);
  EXPECT_EQ(size_of("vec3f"), 12U);
  EXPECT_EQ(size_of("vec4h"), 8U);
  EXPECT_EQ(size_of("mat3x3<f32>"), 48U);
  EXPECT_EQ(size_of("mat2x3f"), 32U);
  EXPECT_EQ(size_of("mat4x2f"), 32U);
  EXPECT_EQ(size_of("array<vec3<f32>, 3>"), 48U);
  EXPECT_EQ(size_of("array<array<u32, 2>>"), 8U);
  EXPECT_EQ(size_of("array<T, 0x10>"), 128U);
  EXPECT_EQ(size_of("atomic<i32>"), 4U);
  EXPECT_EQ(size_of("unknown"), 0U);
  EXPECT_EQ(size_of("array<u32, 2 * 3>"), 0U);
}

TEST(WgslLayout, PlacesMembersAsTheLanguageDoes) {
  const Layout layout = layout_in(
      "struct Inner { v: vec3<f32>, n: u32 } struct S { a: u32, inner: Inner, @align(32) b: f32, @size(16) c: f32, d: "
      "f32 } "
      "var<private> v: S;",
      "v");
  std::vector<std::pair<std::string, std::uint64_t>> places;
  for (const auto& field : layout.fields) places.emplace_back(field.name, field.offset);
  using Place = std::pair<std::string, std::uint64_t>;
  EXPECT_THAT(places, ElementsAre(Place{"a", 0}, Place{"inner.v", 16}, Place{"inner.v", 20}, Place{"inner.v", 24},
                                  Place{"inner.n", 28}, Place{"b", 32}, Place{"c", 36}, Place{"d", 52}));
  EXPECT_EQ(layout.size, 64U);
  EXPECT_EQ(layout.alignment, 32U);
}

TEST(WgslLayout, StructsInStructsAreLaidOutOnce) {
  std::string text = "struct S40 { a: u32 }";
  for (int depth = 39; depth >= 0; --depth)
    text += fmt::format("struct S{} {{ a: S{}, b: S{} }}", depth, depth + 1, depth + 1);
  EXPECT_EQ(layout_in(text + "var<private> v: S0;", "v").size, std::uint64_t{4} << 40);
  EXPECT_EQ(layout_in("var<private> v: array<array<array<u32, 4294967295>, 4294967295>, 4294967295>;", "v").size, 0U);
}

TEST(WgslLayout, StopsAtTypesWithoutAnEnd) {
  EXPECT_EQ(layout_in("struct S { s: S } var<private> v: S;", "v").size, 0U);
  EXPECT_EQ(layout_in("alias A = B; alias B = A; var<private> v: A;", "v").size, 0U);
  EXPECT_EQ(layout_in("var<private> v: array<u32, 100000>;", "v").fields.size(), 4096U);
}

}  // namespace
}  // namespace pintle::wgsl
