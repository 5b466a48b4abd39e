// Programs whose entries nobody declares: what their code says, and what is said where it does not tell.
#include "inference/entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "opencl_c/clang.h"
#include "pintle/must.h"
#include "pintle/program.h"
#include "spirv/glsl_program.h"
#include "spirv_support.h"

namespace pintle::inference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> signatures(Result<std::vector<Entry>> entries) {
  if (!entries) return {std::string(entries.error().message())};
  std::vector<std::string> all;
  for (const Entry& entry : *entries) all.push_back(entry.signature());
  return all;
}

std::vector<std::string> said(std::string_view format, std::string_view code) {
  return signatures(entries_of(format, base::bytes_in(code), {}, "program"));
}

Error refused(std::string_view format, std::string_view code) {
  const auto entries = entries_of(format, base::bytes_in(code), {}, "blur");
  return entries ? Error(Errc::internal, "It has entries.") : entries.error();
}

constexpr std::string_view two_of_wgsl = R"(
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn one() { x[0] = 1; }
@compute @workgroup_size(8, 8) fn two() { x[0] += 1; }
)";

TEST(Inference, DeclaredEntriesAreTaken) {
  const std::vector<std::string_view> declared{"one(x: write f32[])", "two(x: read f32[]) group 8"};
  EXPECT_THAT(signatures(entries_of("wgsl", base::bytes_in(two_of_wgsl), declared, "program")),
              ElementsAre("one(x: write f32[])", "two(x: read f32[]) group 8"));
}

TEST(Inference, FormatsThatAreReadHereSayTheirEntries) {
  EXPECT_THAT(said("wgsl", two_of_wgsl),
              ElementsAre("one(x: write f32[]) group 64", "two(x: read_write f32[]) group 8,8"));
  EXPECT_THAT(said("stablehlo",
                   "func.func @f(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> { "
                   "return %x }\nfunc.func private @g(%y: tensor<4xf32>) { return }"),
              ElementsAre("f(x: read_write f32[4])"));
  EXPECT_THAT(signatures(entries_of("spirv", test::spirv_file("layout"), {}, "program")),
              ElementsAre(HasSubstr("(y: write f32[], x: f32, a: f32x3, b: f32) group 8")));
}

TEST(Inference, ACompilerReadsOpenClC) {
  if (!opencl_c::find_clang(15)) GTEST_SKIP() << "this machine has no clang";
  EXPECT_THAT(said("opencl_c", "kernel void scale(float a, global float* x) { x[get_global_id(0)] *= a; }"),
              ElementsAre("scale(a: f32, x: read_write f32[]) group 64"));
  EXPECT_EQ(refused("opencl_c", "kernel void f(global float* x) { y = 1; }").code(), Errc::build_failed);
}

TEST(Inference, ACompilerReadsGlsl) {
  if (!spirv::find_glsl_program()) GTEST_SKIP() << "this machine has no GLSL compiler";
  EXPECT_THAT(said("glsl",
                   "#version 450\nlayout(local_size_x = PINTLE_GROUP_X) in;\n"
                   "layout(binding = 0) buffer X { float x[]; };\nvoid main() { x[0] = 1; }\n"),
              ElementsAre("main(x: write f32[]) group 64"));
  EXPECT_THAT(said("glsl",
                   "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0) buffer X { float x[]; };\n"
                   "#ifdef PINTLE_ENTRY_up\nvoid main() { x[0] += 1; }\n#endif\n"
                   "#ifdef PINTLE_ENTRY_set\nvoid main() { x[0] = 1; }\n#endif\n"),
              ElementsAre("up(x: read_write f32[]) group 8", "set(x: write f32[]) group 8"));
  const Error wrong = refused("glsl", "#version 450\nvoid main() { x = 1; }\n");
  EXPECT_EQ(wrong.code(), Errc::build_failed);
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("[Program \"blur\"]"));
}

TEST(Inference, WhatDoesNotTellIsNamedWithTheNextStep) {
  for (const std::string_view format : {"c", "so", "native", "ptx", "no_such_format"}) {
    const Error error = refused(format, format == "native" ? "" : "x");
    EXPECT_EQ(error.code(), Errc::invalid_argument) << format;
    EXPECT_THAT(std::string(error.message()), HasSubstr("[Program \"blur\"] is in the format")) << format;
    EXPECT_THAT(std::string(error.message()), HasSubstr("`signatures`: \"blur(in: read f32[]")) << format;
  }
  EXPECT_THAT(std::string(refused("stablehlo", "ML\xefR").message()), HasSubstr("`signatures`"));
  EXPECT_THAT(std::string(refused("wgsl", "struct S { x: f32 }").message()), HasSubstr("has no entry"));
  EXPECT_EQ(refused("wgsl", "no declaration").code(), Errc::invalid_argument);
  EXPECT_EQ(refused("spirv", "no module").code(), Errc::invalid_argument);
}

TEST(Inference, AnEntryThatNoSignatureHasCostsOnlyItself) {
  constexpr std::string_view text = R"(
func.func @f(%x: tensor<4xf32>) { return }
func.func @g(tensor<4xf32>) { return }
)";
  EXPECT_THAT(said("stablehlo", text), ElementsAre("f(x: read f32[4])"));
  const Error alone = refused("stablehlo", "func.func @g(tensor<4xf32>) { return }");
  EXPECT_THAT(std::string(alone.message()), HasSubstr("Entry \"g\" of [Program \"blur\"] has an argument without a"));
}

TEST(Inference, PacksAreMadeOfSourcesAlone) {
  const ProgramPack pack = must(ProgramPack::source("wgsl", two_of_wgsl, {}, "both"));
  ASSERT_EQ(pack.variants().size(), 1u);
  EXPECT_EQ(pack.variants()[0].entries.at(1).signature(), "two(x: read_write f32[]) group 8,8");
  EXPECT_EQ(must(ProgramPack::parse(must(pack.serialize()))).name(), "both");
  const auto unnamed = ProgramPack::source("wgsl", two_of_wgsl, {}, "no name");
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().text(), HasSubstr("\"no name\" where an identifier is expected"));
}

}  // namespace
}  // namespace pintle::inference
