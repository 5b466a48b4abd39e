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
constexpr std::string_view sum =
    "sum(from: read u32[], to: write u32[], n: u32, s0: f64, s1: f64, s2: f64, s3: f64, s4: f64, s5: f64, s6: f64, s7: "
    "f64, s8: f64, s9: f64, t0: f64, t1: f64) group 4,2";

Constant constant(std::string_view name, double value) {
  return {name, DType::f64, {std::bit_cast<std::array<std::byte, 8>>(value)}};
}

Result<std::vector<KernelCode>> match(
    std::span<const std::byte> code, const std::vector<std::string_view>& signatures,
    std::vector<Constant> constants = {}, std::uint32_t most_push = 128,
    KernelMatcher::CheckModule check = [](const Module&) { return Result<void>(); }) {
  std::vector<Entry> entries;
  for (const std::string_view signature : signatures) entries.push_back(must(Entry::parse(signature)));
  const backend::ProgramImage image{"demo", "spirv", code, entries, constants};
  KernelMatcher matcher(image, most_push, std::move(check));
  PINTLE_TRY(matcher.add(code, entries));
  return matcher.finish();
}

void expect_refused(const std::string& file, std::string_view signature, std::string_view words) {
  const auto refused = match(spirv_file(file), {signature});
  ASSERT_FALSE(refused) << signature;
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument) << refused.error().text();
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr(std::string(words)));
}

TEST(SpirvKernel, PlacesScalarsAsACStruct) {
  const auto kernels = must(match(spirv_file("saxpy"), {saxpy}));
  ASSERT_EQ(kernels.size(), 1u);
  const KernelInterface& interface = kernels[0].interface;
  EXPECT_EQ(interface.buffers, 2u);
  ASSERT_EQ(interface.scalars.size(), 2u);
  EXPECT_EQ(interface.scalars[1].offset, 4u);
  EXPECT_EQ(interface.scalar_source, ScalarSource::push);
  EXPECT_EQ(interface.scalar_bytes, 8u);
  EXPECT_EQ(kernels[0].entry_point, "main");
}

TEST(SpirvKernel, PadsBetweenScalars) {
  const auto kernels =
      must(match(spirv_file("saxpy"), {"f(a: bool, x: read f32[], y: write f32[], b: u16, c: u64, d: i8) group 1"}));
  const auto& scalars = kernels[0].interface.scalars;
  ASSERT_EQ(scalars.size(), 4u);
  EXPECT_EQ(scalars[0].offset, 0u);
  EXPECT_EQ(scalars[1].offset, 2u);
  EXPECT_EQ(scalars[2].offset, 8u);
  EXPECT_EQ(scalars[3].offset, 16u);
  EXPECT_EQ(kernels[0].interface.scalar_bytes, 20u);
}

TEST(SpirvKernel, UniformBlocksCarryScalarsToo) {
  const auto kernels = must(match(spirv_file("sum"), {sum}));
  EXPECT_EQ(kernels[0].interface.scalar_source, ScalarSource::uniform);
  EXPECT_EQ(kernels[0].interface.buffers, 2u);
  EXPECT_EQ(kernels[0].interface.scalar_bytes, 112u);
}

TEST(SpirvKernel, GroupSizesByConstantAreSet) {
  const auto kernels = must(match(spirv_file("saxpy"), {saxpy}));
  const Specialization& constants = kernels[0].specialization;
  ASSERT_EQ(constants.values.size(), 1u);
  EXPECT_EQ(constants.values[0].spec_id, 7u);
  std::uint32_t value = 0;
  std::memcpy(&value, constants.data.data(), sizeof value);
  EXPECT_EQ(value, 64u);
}

TEST(SpirvKernel, ConstantsBecomeTheModulesTypes) {
  const auto kernels =
      must(match(spirv_file("saxpy"), {saxpy}, {constant("SCALE", 9), constant("SHIFT", 0.25), constant("NEGATE", 1)}));
  const Specialization& constants = kernels[0].specialization;
  ASSERT_EQ(constants.values.size(), 4u);
  const auto word = [&](std::size_t index) {
    std::uint32_t value = 0;
    EXPECT_EQ(constants.values[index].size, 4u);
    std::memcpy(&value, constants.data.data() + constants.values[index].offset, sizeof value);
    return value;
  };
  EXPECT_EQ(word(1), 9u);
  EXPECT_EQ(std::bit_cast<float>(word(2)), 0.25f);
  EXPECT_EQ(word(3), 1u);
}

TEST(SpirvKernel, WrongConstantsAreRefusedByName) {
  const auto refused = [&](const Constant& wrong, std::string_view words) {
    const auto answer = match(spirv_file("saxpy"), {saxpy}, {wrong});
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
  expect_refused("saxpy", "f(x: read f32[], y: write f32[], z: read u8[], a: f32, b: f32) group 64",
                 "nothing at set 0, binding 2, where parameter \"z\"");
  expect_refused("saxpy", "f(x: write f32[], y: write f32[], a: f32, b: f32) group 64",
                 "only reads at set 0, binding 0");
  expect_refused("sum", "f(from: read u32[], to: write u32[], n: u32) group 4,2", "(112) bytes of scalars");
}

TEST(SpirvKernel, StoresToWhatIsDeclaredReadAreRefused) {
  expect_refused("saxpy", "f(x: read f32[], y: read f32[], a: f32, b: f32) group 64",
                 "writes at set 0, binding 1, and parameter \"y\" is declared (read)");
}

TEST(SpirvKernel, MissingEntriesListTheOnesThereAre) {
  const auto refused = match(spirv_file("saxpy"), {saxpy, "other() group 64"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("\"saxpy\""));  // "main" serves one entry only
  EXPECT_THAT(refused.error().text(), HasSubstr("\"main\""));
}

TEST(SpirvKernel, TooManyPushedBytesAreRefusedWithTheWayOut) {
  const auto refused = match(spirv_file("saxpy"), {saxpy}, {}, 4);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("uniform block at set 0, binding 2"));
}

TEST(SpirvKernel, TheDevicesRefusalNamesTheEntry) {
  const auto refused = match(spirv_file("saxpy"), {saxpy}, {}, 128, [](const Module&) -> Result<void> {
    return Error(Errc::unsupported, "needs more than there is");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_EQ(refused.error().message(), "Entry \"saxpy\" of [Program \"demo\"] needs more than there is.");
}

TEST(SpirvKernel, BrokenCodeNamesTheProgram) {
  const auto code = spirv_file("saxpy");
  const auto refused = match(std::span(code).first(100), {saxpy});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("[Program \"demo\"]"));
  EXPECT_THAT(refused.error().text(), HasSubstr("at word ("));
}

}  // namespace
}  // namespace pintle::spirv
