#include "spirv/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "pintle/must.h"
#include "spirv_support.h"

namespace pintle::spirv {
namespace {

using backend::Constant;
using test::spirv_file;
using testing::HasSubstr;

constexpr std::string_view saxpy = "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 64";
/// Scalars at 4, 8, ... 108 stand for the floats of the block and for the gaps between them.
std::string sum_with(std::string_view first) {
  std::string text = "sum(from: read u32[], to: write u32[], " + std::string(first);
  for (int offset = 4; offset < 112; offset += 4) text += ", s" + std::to_string(offset) + ": f32";
  return text + ") group 4,2";
}

Constant constant(std::string_view name, double value) {
  return {name, DType::f64, {std::bit_cast<std::array<std::byte, 8>>(value)}};
}

Result<std::vector<KernelCode>> match(
    std::span<const std::byte> code, const std::vector<std::string>& signatures, std::vector<Constant> constants = {},
    KernelLimits limits = {128, 32768},
    KernelMatcher::CheckModule check = [](const Module&) { return Result<void>(); }) {
  std::vector<Entry> entries;
  for (const std::string& signature : signatures) entries.push_back(must(Entry::parse(signature)));
  const backend::ProgramImage image{"demo", "spirv", code, entries, constants};
  KernelMatcher matcher(image, limits, std::move(check));
  PINTLE_TRY(matcher.add(code, entries));
  return matcher.finish();
}

void expect_refused(const std::string& file, std::string_view signature, std::string_view words) {
  const auto refused = match(spirv_file(file), {std::string(signature)});
  ASSERT_FALSE(refused) << signature;
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument) << refused.error().text();
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr(std::string(words)));
}

TEST(SpirvKernel, PlacesScalarsAsACStruct) {
  const auto kernels = must(match(spirv_file("saxpy"), {std::string(saxpy)}));
  ASSERT_EQ(kernels.size(), 1u);
  const KernelInterface& interface = kernels[0].interface;
  EXPECT_EQ(interface.descriptors.size(), 2u);
  ASSERT_EQ(interface.scalars.size(), 2u);
  EXPECT_EQ(interface.scalars[1].offset, 4u);
  EXPECT_EQ(interface.scalar_source, ScalarSource::push);
  EXPECT_EQ(interface.scalar_bytes, 8u);
  EXPECT_EQ(kernels[0].entry_point, "main");
}

TEST(SpirvKernel, PadsBetweenScalars) {
  const auto kernels = must(match(spirv_file("saxpy"), {"f(a: f32, x: read f32[], y: read_write f32[], n: u32, b: u16, "
                                                        "c: u64, d: i8) group 1"}));
  const auto& scalars = kernels[0].interface.scalars;
  ASSERT_EQ(scalars.size(), 5u);
  EXPECT_EQ(scalars[0].offset, 0u);
  EXPECT_EQ(scalars[1].offset, 4u);
  EXPECT_EQ(scalars[2].offset, 8u);
  EXPECT_EQ(scalars[3].offset, 16u);
  EXPECT_EQ(scalars[4].offset, 24u);
  EXPECT_EQ(kernels[0].interface.scalar_bytes, 28u);
}

TEST(SpirvKernel, UniformBlocksCarryScalarsToo) {
  const auto kernels = must(match(spirv_file("sum"), {sum_with("n: u32")}));
  EXPECT_EQ(kernels[0].interface.scalar_source, ScalarSource::uniform);
  EXPECT_EQ(kernels[0].interface.descriptors.size(), 2u);
  EXPECT_EQ(kernels[0].interface.scalar_bytes, 112u);
}

TEST(SpirvKernel, GroupSizesByConstantAreSet) {
  const auto kernels = must(match(spirv_file("saxpy"), {std::string(saxpy)}));
  const Specialization& constants = kernels[0].specialization;
  ASSERT_EQ(constants.values.size(), 1u);
  EXPECT_EQ(constants.values[0].spec_id, 7u);
  std::uint32_t value = 0;
  std::memcpy(&value, constants.data.data(), sizeof value);
  EXPECT_EQ(value, 64u);
}

TEST(SpirvKernel, ConstantsBecomeTheModulesTypes) {
  const auto kernels = must(match(spirv_file("saxpy"), {std::string(saxpy)},
                                  {constant("SCALE", 9), constant("SHIFT", 0.25), constant("NEGATE", 1)}));
  const Specialization& constants = kernels[0].specialization;
  ASSERT_EQ(constants.values.size(), 4u);
  const auto word = [&](std::size_t index) {
    std::uint32_t value = 0;
    EXPECT_EQ(constants.values[index].size, 4u);
    std::memcpy(&value, constants.data.data() + constants.values[index].offset, sizeof value);
    return value;
  };
  EXPECT_EQ(word(0), 9u);
  EXPECT_EQ(std::bit_cast<float>(word(1)), 0.25f);
  EXPECT_EQ(word(2), 1u);  // sides of the group come behind
}

TEST(SpirvKernel, WrongConstantsAreRefusedByName) {
  const auto refused = [&](const Constant& wrong, std::string_view words) {
    const auto answer = match(spirv_file("saxpy"), {std::string(saxpy)}, {wrong});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), Errc::invalid_argument);
    EXPECT_THAT(std::string(answer.error().message()), HasSubstr(std::string(words)));
  };
  refused(constant("WIDTH", 1), "\"WIDTH\"");
  refused(constant("SCALE", 1.5), "(1.5)");
  refused(constant("SCALE", -1), "unsigned integer of (32) bits");
  refused(constant("SCALE", 4294967296.0), "\"SCALE\"");
}

TEST(SpirvKernel, MismatchesAreRefusedByName) {
  expect_refused("sum", "sum(from: read u32[], to: write u32[]) group 8", "(4,2,1), and (8,1,1)");
  expect_refused("saxpy", "f(a: f32, x: read f32[], n: u32) group 64", "binding 1, where no parameter");
  expect_refused("saxpy", "f(x: read f32[], y: read_write f32[], z: read u8[], a: f32, n: u32) group 64",
                 "nothing for parameter \"z\": it binds (2) buffers, and (3) are declared");
  expect_refused("saxpy", "f(x: write f32[], y: read_write f32[], a: f32, n: u32) group 64",
                 "only reads at set 0, binding 0");
}

TEST(SpirvKernel, StoresToWhatIsDeclaredReadAreRefused) {
  expect_refused("saxpy", "f(x: read f32[], y: read f32[], a: f32, n: u32) group 64",
                 "writes at set 0, binding 1, and parameter \"y\" is declared (read)");
}

TEST(SpirvKernel, LoadsOfWhatIsDeclaredWriteAreRefused) {
  expect_refused("saxpy", "f(x: read f32[], y: write f32[], a: f32, n: u32) group 64",
                 "reads at set 0, binding 1, and parameter \"y\" is declared (write)");
  expect_refused("read_back", "f(from: read i32[], to: write i32[]) group 8",  // an atomic
                 "reads at set 0, binding 1, and parameter \"to\" is declared (write)");
  EXPECT_TRUE(match(spirv_file("read_back"), {"f(from: read i32[], to: read_write i32[]) group 8"}));
}

TEST(SpirvKernel, ScalarsOfAnotherTypeAreRefused) {
  const auto scalars = [](std::string_view text) {
    return "f(x: read f32[], y: read_write f32[], " + std::string(text) + ") group 64";
  };
  expect_refused("saxpy", scalars("a: i32, n: u32"),
                 "has \"a\" (f32) at offset (0) of its scalars, where parameter \"a\" is declared (i32 at offset (0))");
  expect_refused("saxpy", scalars("a: f64, n: u32"), "has \"a\" (f32)");
  expect_refused("saxpy", scalars("a: f32, n: f32"), "has \"n\" (u32) at offset (4)");
  expect_refused("saxpy", scalars("a: f32, n: i32"), "declared (i32 at offset (4))");
  expect_refused("saxpy", scalars("a: u16, n: u32"), "has \"a\" (f32)");
  expect_refused("saxpy", scalars("a: f32"), "reads \"n\" (u32) at offset (4) of its scalars, where no parameter");
  expect_refused("saxpy", "f(x: read f32[], y: read_write f32[]) group 64", "reads \"a\" (f32) at offset (0)");
  expect_refused("sum", sum_with("n: f32"), "has \"n\" (u32)");
  expect_refused("sum", "f(from: read u32[], to: write u32[], n: u32) group 4,2",
                 "reads \"item.turn\" (f32) at offset (16)");
}

TEST(SpirvKernel, ScalarsAtAnotherPlaceAreRefused) {
  const auto scalars = [](std::string_view text) { return "f(y: write f32[], " + std::string(text) + ") group 8"; };
  // A vec3 lies at a multiple of 16 bytes, so C's struct of the five floats is another one.
  expect_refused("layout", scalars("x: f32, a0: f32, a1: f32, a2: f32, b: f32"), "reads \"a\" (f32) at offset (20)");
  EXPECT_TRUE(
      match(spirv_file("layout"), {scalars("x: f32, p0: u32, p1: u32, p2: u32, a0: f32, a1: f32, a2: f32, b: f32")}));
  expect_refused("layout", scalars("x: f32, p0: u32, p1: u64, a0: f32, a1: f64, b: f32"), "at offset (20)");
}

TEST(SpirvKernel, NamesTellTheOrder) {
  expect_refused("saxpy", "f(y: read f32[], x: read_write f32[], a: f32, n: u32) group 64",
                 "has \"x\" at set 0, binding 0, where parameter \"y\" is bound");
  expect_refused("layout",
                 "f(y: write f32[], b: f32, p0: u32, p1: u32, p2: u32, a0: f32, a1: f32, a2: f32, x: f32) "
                 "group 8",
                 "has \"x\" (f32) at offset (0) of its scalars, where parameter \"b\" is declared");
  EXPECT_TRUE(match(spirv_file("saxpy"), {"f(p: read f32[], q: read_write f32[], r: f32, s: u32) group 64"}));
}

TEST(SpirvKernel, ElementsOfAnotherTypeAreRefused) {
  const auto buffers = [](std::string_view type) {
    return "f(from: read " + std::string(type) + "[], to: read_write i32[]) group 8";
  };
  for (const std::string_view wrong : {"f32", "u32", "i64", "f16", "complex64"})
    expect_refused(
        "read_back", buffers(wrong),
        "has elements of (i32) at set 0, binding 0, and parameter \"from\" is declared (" + std::string(wrong) + "[])");
  EXPECT_TRUE(match(spirv_file("read_back"), {buffers("u8")}));       // bytes
  for (const std::string_view small : {"u16", "bf16", "i8", "bool"})  // in words, as shaders have them
    EXPECT_TRUE(match(spirv_file("sum"), {"f(from: read " + std::string(small) + "[], to: write u32[], " +
                                          sum_with("n: u32").substr(sum_with("n: u32").find("n:"))}))
        << small;
}

TEST(SpirvKernel, AConstantThatIsASideOfTheGroupHasOneValue) {
  const auto sided = [](double value) {
    test::SpirvWriter writer;  // "WIDTH" has SpecId 7 and is the group's first side
    writer.add(17, {1}).add(15, {5, 1}, "main").add(331, {1, 38, 11, 12, 12}).add(5, {11}, "WIDTH");
    writer.add(71, {11, 1, 7})
        .add(19, {2})
        .add(33, {3, 2})
        .add(21, {10, 32, 0})
        .add(50, {10, 11, 8})
        .add(43, {10, 12, 1});
    writer.add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
    return match(writer.bytes(), {"f() group 16"}, {constant("WIDTH", value)});
  };
  const auto kernels = must(sided(16));
  EXPECT_EQ(kernels[0].specialization.values.size(), 1u);
  const auto refused = sided(8);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "Entry \"f\" of [Program \"demo\"] is declared with (16) as a side of its group, which is the constant "
            "\"WIDTH\" with the value (8).");
}

TEST(SpirvKernel, MoreSharedMemoryThanTheLimitIsRefused) {
  constexpr std::string_view signature =
      "f(y: write f32[], x: f32, p0: u32, p1: u32, p2: u32, a0: f32, a1: f32, a2: f32, b: f32) group 8";
  EXPECT_TRUE(match(spirv_file("layout"), {std::string(signature)}, {}, {128, 12004}));
  const auto refused = match(spirv_file("layout"), {std::string(signature)}, {}, {128, 12003});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_THAT(refused.error().text(),
              HasSubstr("(12004) bytes of shared memory, and the limit of the device is (12003)"));
}

TEST(SpirvKernel, MissingEntriesListTheOnesThereAre) {
  const auto refused = match(spirv_file("saxpy"), {std::string(saxpy), "other() group 64"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("\"saxpy\""));  // "main" serves one entry only
  EXPECT_THAT(refused.error().text(), HasSubstr("\"main\""));
}

TEST(SpirvKernel, TooManyPushedBytesAreRefusedWithTheWayOut) {
  const auto refused = match(spirv_file("saxpy"), {std::string(saxpy)}, {}, {4, 0});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("uniform block behind the buffers"));
}

TEST(SpirvKernel, TheDevicesRefusalNamesTheEntry) {
  const auto refused =
      match(spirv_file("saxpy"), {std::string(saxpy)}, {}, {128, 0},
            [](const Module&) -> Result<void> { return Error(Errc::unsupported, "needs more than there is"); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_EQ(refused.error().message(), "Entry \"saxpy\" of [Program \"demo\"] needs more than there is.");
}

TEST(SpirvKernel, BrokenCodeNamesTheProgram) {
  const auto code = spirv_file("saxpy");
  const auto refused = match(std::span(code).first(100), {std::string(saxpy)});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("[Program \"demo\"]"));
  EXPECT_THAT(refused.error().text(), HasSubstr("at word ("));
}

}  // namespace
}  // namespace pintle::spirv
