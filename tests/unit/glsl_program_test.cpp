#include "spirv/glsl_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "kit/code_cache.h"
#include "pintle/must.h"
#include "scratch_folder.h"
#include "spirv/module.h"

namespace pintle::spirv {
namespace {

using kit::CodeCache;
using testing::HasSubstr;

class GlslProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_glsl_program()) GTEST_SKIP() << "this machine has no GLSL compiler";
  }
};

constexpr std::string_view source = R"(#version 450
layout(local_size_x = WIDTH) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] = VALUE; }
)";

TEST_F(GlslProgram, CompilesWithMacros) {
  const auto code = must(compile_glsl({"demo.comp", source, {{"WIDTH", "32"}, {"VALUE", "7"}}}));
  const auto modules = must(read_modules(code));
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].version, 0x00010500u);
  EXPECT_EQ(modules[0].entries.at(0).group_size.value()[0].value, 32u);
}

TEST_F(GlslProgram, TellsTheCompilersWords) {
  const auto failed = compile_glsl({"demo.comp", source, {{"WIDTH", "32"}, {"VALUE", "unknown_thing"}}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(failed.error().message()), HasSubstr("unknown_thing"));
  EXPECT_THAT(std::string(failed.error().message()), HasSubstr("demo.comp"));
}

TEST(GlslProgramAbsence, IsExplained) {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/no/such/folder", 1);
  const auto found = find_glsl_program();
  const auto compiled = compile_glsl({"demo.comp", source, {}});
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::unavailable);
  EXPECT_THAT(found.error().text(), HasSubstr("glslangValidator"));
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code(), Errc::unavailable);
}

TEST(CodeCacheBytes, AreTheSameFromMakerAndCache) {
  const test::ScratchFolder folder;
  const CodeCache cache(folder.path(), 1 << 20);
  const base::Digest key = base::sha256(std::as_bytes(std::span("key")));
  const std::vector<std::byte> code(1000, std::byte{5});
  int made = 0;
  const auto make = [&]() -> Result<std::vector<std::byte>> {
    ++made;
    return code;
  };
  EXPECT_EQ(must(cache.obtain_bytes(key, ".bin", make)), code);
  EXPECT_EQ(must(cache.obtain_bytes(key, ".bin", make)), code);
  EXPECT_EQ(made, 1);
  const auto failed = cache.obtain_bytes(base::sha256({}), ".bin", []() -> Result<std::vector<std::byte>> {
    return Error(Errc::build_failed, "It does not compile.");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::build_failed);
}

// Without a folder everything is made again.
TEST(CodeCacheBytes, AreMadeWithoutAFolderToo) {
  const CodeCache cache({}, 0);
  const std::vector<std::byte> code(10, std::byte{1});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(must(cache.obtain_bytes({}, ".bin", [&]() -> Result<std::vector<std::byte>> { return code; })), code);
  }
}

}  // namespace
}  // namespace pintle::spirv
