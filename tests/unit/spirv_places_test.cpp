// Buffers at any place, values by value, and constants: modules as foreign programs have them, compiled by glslc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "base/file.h"
#include "pintle/must.h"
#include "spirv/glsl_program.h"
#include "spirv/kernel.h"
#include "spirv_support.h"

namespace pintle::spirv {
namespace {

using backend::Constant;
using testing::ElementsAre;
using testing::HasSubstr;

class SpirvPlaces : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_glsl_program()) GTEST_SKIP() << "this machine has no GLSL compiler";
  }

  /// The entry "f" of a shader without its first line, matched with a signature.
  Result<KernelCode> match(std::string_view source, std::string_view signature, std::vector<Constant> constants = {},
                           KernelLimits limits = {128, 32768}) {
    const std::string text = "#version 450\n" + std::string(source);
    const auto code = must(compile_glsl({"f.comp", text, {}}));
    const std::vector<Entry> entries{must(Entry::parse(signature))};
    const backend::ProgramImage image{"demo", "spirv", code, entries, constants};
    KernelMatcher matcher(image, limits, [](const Module&) { return Result<void>(); });
    PINTLE_TRY(matcher.add(code, entries));
    PINTLE_ASSIGN(kernels, matcher.finish());
    return kernels[0];
  }

  void expect_refused(Errc code, std::string_view source, std::string_view signature, std::string_view words,
                      std::vector<Constant> constants = {}, KernelLimits limits = {128, 32768}) {
    const auto refused = match(source, signature, std::move(constants), limits);
    ASSERT_FALSE(refused) << signature;
    EXPECT_EQ(refused.error().code(), code) << refused.error().text();
    EXPECT_THAT(refused.error().text(), HasSubstr(std::string(words)));
  }
};

template <class T>
Constant constant(std::string_view name, T value) {
  const ScalarValue scalar = ScalarValue::of(value);
  return {name, scalar.dtype, scalar.bytes};
}

constexpr std::string_view gaps = R"(
  layout(local_size_x = 4) in;
  layout(set = 2, binding = 1) buffer C { float c[]; };
  layout(set = 0, binding = 7) readonly buffer B { float b[]; };
  layout(set = 0, binding = 3) readonly buffer A { float a[]; };
  void main() { c[0] = a[0] + b[0]; }
)";

TEST_F(SpirvPlaces, BuffersAreInTheOrderOfSetAndBinding) {
  const auto kernel = must(match(gaps, "f(a: read f32[], b: read f32[], c: write f32[]) group 4"));
  EXPECT_THAT(kernel.interface.descriptors, ElementsAre(Descriptor{0, 3}, Descriptor{0, 7}, Descriptor{2, 1}));
}

TEST_F(SpirvPlaces, MistakesNameThePlace) {
  using enum Errc;
  expect_refused(invalid_argument, gaps, "f(a: read f32[], b: read f32[], c: read f32[]) group 4",
                 "writes at set 2, binding 1, and parameter \"c\" is declared (read)");
  expect_refused(invalid_argument, gaps, "f(a: read f32[], b: read f32[]) group 4",
                 "uses \"C\" at set 2, binding 1, where no parameter is bound (2 buffers are declared)");
  expect_refused(unsupported, gaps, "f(a: read f32[], b: read f32[], c: write f32[]) group 4",
                 "set 2, binding 1, and the device binds (2) sets", {},
                 {.push_bytes = 128, .shared_bytes = 1, .sets = 2});
  expect_refused(unsupported, gaps, "f(a: read f32[], b: read f32[], c: write f32[]) group 4",
                 "binding 7, and the largest number of a binding is (6)", {},
                 {.push_bytes = 128, .shared_bytes = 1, .bindings = 7});
  expect_refused(unsupported, gaps, "f(a: read f32[], b: read f32[], c: write f32[]) group 4",
                 "has (3) storage buffers, and the limit of the device is (2)", {},
                 {.push_bytes = 128, .shared_bytes = 1, .storage_buffers = 2});
}

TEST_F(SpirvPlaces, AnArrayOfBuffersIsAParameterEach) {
  constexpr std::string_view source = R"(
    layout(local_size_x = 1) in;
    layout(set = 0, binding = 1) buffer B { float x[]; } b[3];
    layout(set = 0, binding = 2) buffer C { uint y[]; };
    void main() { b[2].x[0] = b[0].x[0]; y[0] = 1; }
  )";
  const auto kernel = must(match(source, "f(b0: read f32[], b1: read f32[], b2: write f32[], y: write u32[])"));
  EXPECT_THAT(kernel.interface.descriptors,
              ElementsAre(Descriptor{0, 1, 0}, Descriptor{0, 1, 1}, Descriptor{0, 1, 2}, Descriptor{0, 2}));
  expect_refused(Errc::invalid_argument, source, "f(b0: read f32[], b1: read f32[], b2: write u32[], y: write u32[])",
                 "elements of (f32) at set 0, binding 1, element 2");
}

TEST_F(SpirvPlaces, UniformBlocksBesidePushConstantsAreBuffers) {
  constexpr std::string_view source = R"(
    layout(local_size_x = 1) in;
    layout(push_constant) uniform P { uint n; };
    layout(set = 0, binding = 0) uniform U { vec4 scale; uint m; };
    layout(set = 0, binding = 1) buffer X { float x[]; };
    void main() { x[0] = scale.x * float(n + m); }
  )";
  const auto kernel = must(match(source, "f(u: read u8[], x: write f32[], n: u32)"));
  EXPECT_THAT(kernel.interface.descriptors,
              ElementsAre(Descriptor{0, 0, 0, DescriptorKind::uniform_block}, Descriptor{0, 1}));
  EXPECT_EQ(kernel.interface.needs[0].least, 20u);
  EXPECT_EQ(kernel.interface.scalar_source, ScalarSource::push);
  expect_refused(Errc::invalid_argument, source, "f(u: read_write u8[], x: write f32[], n: u32)",
                 "only reads at set 0, binding 0");
  expect_refused(Errc::unsupported, source, "f(u: read u8[], x: write f32[], n: u32)",
                 "uniform block of (20) bytes at set 0, binding 0, and the limit of the device is (16)", {},
                 {.push_bytes = 128, .shared_bytes = 1, .uniform_bytes = 16});
}

TEST_F(SpirvPlaces, VectorsAndStructsAreComparedNumberByNumber) {
  constexpr std::string_view source = R"(
    layout(local_size_x = 1) in;
    layout(push_constant, std430) uniform P { float x; vec3 a; float b; };
    layout(set = 0, binding = 0) buffer Y { float y[]; };
    void main() { y[0] = x + a.x + a.y + a.z + b; }
  )";
  const auto kernel = must(match(source, "f(y: write f32[], x: f32, a: f32x3, b: f32)"));
  ASSERT_EQ(kernel.interface.scalars.size(), 3u);
  EXPECT_EQ(kernel.interface.scalars[1].offset, 16u);
  EXPECT_EQ(kernel.interface.scalars[1].size, 12u);
  EXPECT_EQ(kernel.interface.scalars[2].offset, 28u);
  EXPECT_TRUE(match(source, "f(y: write f32[], p: { x: f32, a: f32x3 at 16, b: f32 at 28 })"));
  EXPECT_TRUE(match(source, "f(y: write f32[], p: bytes[32])"));
  using enum Errc;
  expect_refused(invalid_argument, source, "f(y: write f32[], x: f32, a: i32x3, b: f32)",
                 "has \"a\" (f32) at offset (16) of its scalars, where parameter \"a\" is declared (i32x3 at offset "
                 "(16))");
  expect_refused(invalid_argument, source, "f(y: write f32[], p: { x: f32, a: f32x2 at 16, b: f32 at 28 })",
                 "reads \"a\" (f32) at offset (24)");
  expect_refused(invalid_argument, source, "f(y: write f32[], p: { b: f32, a: f32x3 at 16, x: f32 at 28 })",
                 "has \"x\" (f32) at offset (0) of its scalars, where parameter \"p.b\" is declared");
  expect_refused(invalid_argument, source, "f(y: write f32[], p: bytes[16])", "reads \"a\" (f32) at offset (16)");
}

constexpr std::string_view typed = R"(
  #extension GL_EXT_shader_explicit_arithmetic_types : require
  layout(local_size_x = 1) in;
  layout(constant_id = 0) const int64_t LONG = 0;
  layout(constant_id = 1) const uint WORD = 0;
  layout(constant_id = 2) const float SCALE = 0;
  layout(constant_id = 3) const bool FLAG = false;
  layout(constant_id = 4) const float16_t HALF = float16_t(0);
  layout(set = 0, binding = 0) buffer Y { uint y[]; };
  void main() { y[0] = FLAG ? uint(LONG) : WORD + uint(SCALE) + uint(HALF); }
)";

TEST_F(SpirvPlaces, ConstantsOfEveryDtypeAreExact) {
  const auto bits = [&](const Constant& given) {
    const auto kernel = must(match(typed, "f(y: write u32[])", {given}));
    std::uint64_t value = 0;
    const auto& only = kernel.specialization.values.at(0);
    std::memcpy(&value, kernel.specialization.data.data(), only.size);
    return value;
  };
  EXPECT_EQ(bits(constant("LONG", std::int64_t{0x7fffffffffffffff})), 0x7fffffffffffffffu);  // no double has it
  EXPECT_EQ(bits(constant("LONG", std::int8_t{-1})), ~std::uint64_t{0});
  EXPECT_EQ(bits(constant("LONG", -9223372036854775808.0)), std::uint64_t{1} << 63);
  EXPECT_EQ(bits(constant("WORD", std::uint64_t{0xffffffff})), 0xffffffffu);
  EXPECT_EQ(bits(constant("WORD", 16.0)), 16u);
  EXPECT_EQ(bits(constant("SCALE", std::uint32_t{16777216})), std::bit_cast<std::uint32_t>(16777216.0f));
  EXPECT_EQ(bits(constant("SCALE", 0.25)), std::bit_cast<std::uint32_t>(0.25f));
  EXPECT_EQ(bits(constant("FLAG", true)), 1u);
  EXPECT_EQ(bits(constant("HALF", 1.5f)), 0x3e00u);
  EXPECT_EQ(bits(constant("HALF", 65504.0)), 0x7bffu);
  EXPECT_EQ(bits(constant("HALF", 0x1p-24)), 1u);
  EXPECT_EQ(bits(constant("HALF", -0x1p-14)), 0x8400u);
}

TEST_F(SpirvPlaces, ConstantsThatDoNotFitAreRefusedWithValueAndType) {
  const auto refused = [&](const Constant& given, std::string_view words) {
    expect_refused(Errc::invalid_argument, typed, "f(y: write u32[])", words, {given});
  };
  refused(constant("WORD", std::int32_t{-1}), "value (-1) of dtype (i32), which an unsigned integer of (32) bits");
  refused(constant("WORD", std::uint64_t{1} << 32), "value (4294967296) of dtype (u64)");
  refused(constant("WORD", 1.5f), "value (1.5) of dtype (f32)");
  refused(constant("LONG", 9223372036854775808.0), "a signed integer of (64) bits");
  refused(constant("SCALE", std::uint32_t{16777217}), "value (16777217) of dtype (u32), which a float of (32) bits");
  refused(constant("SCALE", 0.1), "value (0.1) of dtype (f64)");
  refused(constant("SCALE", 1e300), "value (1e+300)");
  refused(constant("FLAG", 2u), "a bool (0 or 1)");
  refused(constant("HALF", 65520.0), "a float of (16) bits");
  refused(constant("HALF", 0x1p-25), "a float of (16) bits");
}

constexpr std::string_view sided = R"(
  layout(local_size_x_id = 0, local_size_y_id = 0) in;
  layout(constant_id = 0) const uint TILE = 8;
  shared float tile[TILE * (TILE + 1)];
  layout(set = 0, binding = 0) buffer Y { float y[]; };
  void main() { tile[gl_LocalInvocationIndex] = 1; barrier(); y[gl_LocalInvocationIndex] = tile[0]; }
)";

TEST_F(SpirvPlaces, AnIdHasOneValueForGroupAndConstant) {
  Constant side = constant("TILE", 4u);
  const auto kernel = must(match(sided, "f(y: write f32[]) group 4,4", {side}));
  EXPECT_EQ(kernel.specialization.values.size(), 1u);  // VUID-VkSpecializationInfo-constantID-04911
  side.is_side = true;
  EXPECT_TRUE(match(sided, "f(y: write f32[]) group 4,4", {side}));
  expect_refused(Errc::invalid_argument, sided, "f(y: write f32[]) group 4,8",
                 "with (8) as a side of its group, which");
  expect_refused(Errc::invalid_argument, sided, "f(y: write f32[]) group 8,8", "constant \"TILE\" with the value (4)",
                 {side});
  Constant other = constant("WIDTH", 4u);  // of the declared group alone
  expect_refused(Errc::invalid_argument, sided, "f(y: write f32[]) group 4,4", "no specialisation constant", {other});
  other.is_side = true;
  EXPECT_TRUE(match(sided, "f(y: write f32[]) group 4,4", {other}));
}

TEST_F(SpirvPlaces, SharedMemoryHasTheSizeOfItsConstants) {
  EXPECT_TRUE(match(sided, "f(y: write f32[]) group 16,16", {}, {128, 16 * 17 * 4}));
  expect_refused(Errc::unsupported, sided, "f(y: write f32[]) group 16,16",
                 "has (1088) bytes of shared memory, and the limit of the device is (1087)", {},
                 {128, 16 * 17 * 4 - 1});
}

TEST_F(SpirvPlaces, PointersThroughFunctionsAndCopiesCount) {
  // glslang passes `x` and `y` to copies; the module below passes a buffer's element by pointer.
  test::SpirvWriter writer(0x00010500, 100);
  writer.add(17, {1}).add(15, {5, 1}, "main", {12, 13}).add(16, {1, 17, 1, 1, 1}).add(19, {2}).add(33, {3, 2});
  writer.add(71, {12, 33, 0}).add(71, {12, 34, 0}).add(71, {13, 33, 1}).add(71, {13, 34, 0}).add(72, {10, 0, 35, 0});
  writer.add(21, {9, 32, 0}).add(30, {10, 9}).add(32, {11, 12, 10}).add(32, {15, 12, 9}).add(43, {9, 16, 0});
  writer.add(33, {17, 2, 15}).add(20, {18}).add(41, {18, 19}).add(59, {11, 12, 12}).add(59, {11, 13, 12});
  writer.add(54, {2, 1, 0, 3}).add(248, {4}).add(65, {15, 40, 12, 16}).add(65, {15, 41, 13, 16});
  writer.add(169, {15, 42, 19, 40, 41}).add(57, {2, 43, 20, 42}).add(253, {}).add(56, {});
  writer.add(54, {2, 20, 0, 17}).add(55, {15, 21}).add(248, {22}).add(83, {15, 23, 21}).add(62, {23, 16});
  writer.add(253, {}).add(56, {});
  const auto modules = must(read_modules(writer.bytes()));
  const auto& written = modules[0].entries.at(0).written;
  EXPECT_THAT(written, testing::IsSupersetOf({12u, 13u}));
  EXPECT_THAT(modules[0].entries[0].read, testing::IsEmpty());
}

}  // namespace
}  // namespace pintle::spirv
