// Instrumented shaders: each module is valid, and says which accesses it checks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "pintle/backend/driver.h"
#include "spirv/glsl_program.h"
#include "spirv/instrument_image.h"
#include "spirv/module.h"
#include "spirv_support.h"

namespace pintle::spirv {
namespace {

using test::spirv_file;

/// What `spirv-val` says; empty where it accepts the module.
std::string fault_of(std::span<const std::byte> code, const std::string& environment) {
  const auto program = base::find_program("spirv-val");
  if (!program) return "";
  const auto folder = must(base::TemporaryFolder::create());
  must(base::write_file(folder / "checked.spv", code));
  const std::vector<std::string> words{*program, "--target-env", environment, folder / "checked.spv"};
  return must(base::run_process(words, Clock::now() + std::chrono::minutes(1))).output;
}

/// Compiles for an environment, with optimisation or without.
std::vector<std::byte> compile(const std::string& source, const std::string& environment, bool optimises) {
  const auto folder = must(base::TemporaryFolder::create());
  must(base::write_file(folder / "in.comp", base::bytes_in(source)));
  std::vector<std::string> words{*base::find_program("glslc"), "--target-env=" + environment, folder / "in.comp", "-o",
                                 folder / "out.spv"};
  if (optimises) words.emplace_back("-O");
  const auto ran = must(base::run_process(words, Clock::now() + std::chrono::minutes(1)));
  EXPECT_EQ(ran.status, 0) << ran.output;
  return must(base::read_file(folder / "out.spv"));
}

Instrumented instrumented(std::span<const std::byte> code, std::uint32_t buffers, std::string_view name = "main") {
  const auto modules = must(read_modules(code));
  return must(instrument({modules.at(0).code, name, "renamed", buffers}));
}

const std::string everything = R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : enable
layout(local_size_x = 64) in;
struct P { float a[3]; mat3 m; vec4 v; uint k; };
layout(push_constant) uniform S { int at; uint n; };
layout(binding = 0) buffer A { uint count; P p[]; };
layout(binding = 1, row_major) buffer B { mat2x3 rows[]; };
layout(binding = 2) buffer C { uint words[]; };
layout(binding = 3) buffer D { uint fixed_words[16]; };
layout(binding = 4) uniform U { vec4 scale; };
shared uint tile[64];
void helper(inout uint x) { x += 1u; }
void main() {
  const uint i = gl_GlobalInvocationID.x;
  for (uint j = 0u; j < n; ++j) {
    if (j == 3u) continue;
    p[i].a[j] = p[at].v[j] * scale.x;
    p[i].m[at][j] += 1.0;
    rows[i][at][j] = 2.0;
  }
  atomicAdd(words[i], 1u);
  atomicCompSwap(words[at], 0u, 3u);
  helper(words[i + 1u]);
  const uint64_t big = uint64_t(i) * 3ul;
  words[uint(big)] = fixed_words[i];
  words[int(int16_t(i))] = 5u;
  tile[i] = words[i];
  barrier();
  const P q = p[i];
  p[i + 1] = q;
  count = p.length();
}
)";

TEST(BoundsSpirv, WhatItMakesIsValid) {
  if (!base::find_program("glslc") || !base::find_program("spirv-val"))
    GTEST_SKIP() << "this machine lacks glslc or spirv-val";
  for (const std::string environment : {"vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3"}) {
    for (const bool optimises : {false, true}) {
      SCOPED_TRACE(environment + (optimises ? " -O" : ""));
      const auto code = compile(everything, environment, optimises);
      const Instrumented checked = instrumented(code, 4);
      EXPECT_EQ(checked.unchecked, 0u);
      EXPECT_GE(checked.accesses.size(), 14u);
      EXPECT_EQ(fault_of(checked.code, environment), "");
    }
  }
}

TEST(BoundsSpirv, TheModulesOfTheTestsStayValid) {
  for (const char* const name : {"saxpy", "sum", "layout", "read_back", "groups"}) {
    SCOPED_TRACE(name);
    const auto code = spirv_file(name);
    for (const Module& module : must(read_modules(code))) {
      for (const EntryPoint& entry : module.entries) {
        const auto made = must(instrument({module.code, entry.name, "renamed", 8}));
        EXPECT_EQ(fault_of(made.code, "vulkan1.3"), "");
        const auto again = must(read_modules(made.code));
        ASSERT_EQ(again.at(0).entries.size(), 1u);
        EXPECT_EQ(again.at(0).entries.at(0).name, "renamed");
      }
    }
  }
}

TEST(BoundsSpirv, TheNoteIsBoundBehindTheBuffers) {
  const Instrumented checked =
      instrumented(spirv_file("saxpy"), 2, must(read_modules(spirv_file("saxpy")))[0].entries[0].name);
  const auto modules = must(read_modules(checked.code));
  const auto& bindings = modules.at(0).bindings;
  const auto note = std::ranges::find(bindings, 2u, &Binding::binding);
  ASSERT_NE(note, bindings.end());
  EXPECT_EQ(note->block.size, sizeof(OutsideNote));
  EXPECT_EQ(note->kind, Binding::Kind::storage_buffer);
}

TEST(BoundsSpirv, AnAccessKnowsItsPlace) {
  if (!base::find_program("glslc")) GTEST_SKIP() << "this machine lacks glslc";
  const auto code = compile(R"(#version 450
layout(local_size_x = 1) in;
struct Item { uint head; uint tail; };
layout(binding = 0) readonly buffer A { uint first[]; };
layout(binding = 1) buffer B { uint count; Item items[]; };
void main() { items[first[gl_GlobalInvocationID.x]].tail = 1; })",
                            "vulkan1.2", false);
  const Instrumented checked = instrumented(code, 2);
  ASSERT_EQ(checked.accesses.size(), 2u);
  EXPECT_EQ(checked.accesses[0].buffer, 0u);
  EXPECT_TRUE(checked.accesses[0].reads && !checked.accesses[0].writes);
  EXPECT_EQ(checked.accesses[1].buffer, 1u);
  EXPECT_TRUE(checked.accesses[1].writes && !checked.accesses[1].reads);
  EXPECT_EQ(checked.accesses[1].offset_of({1, 1, 3, 0}), 4 + 3 * 8 + 4);
  EXPECT_EQ(checked.accesses[1].offset_of({1, 1, ~0u, 0}), 0);
  EXPECT_EQ(checked.accesses[0].offset_of({1, 0, ~0u, 0}), -4);
}

TEST(BoundsSpirv, WhatIsNoModuleIsRefused) {
  const std::vector<std::byte> code(64, std::byte{1});
  const auto refused = instrument({code, "main", "main", 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
}

// Whatever a word is changed to, the answer is a module or an error.
TEST(BoundsSpirv, ChangedWordsDoNoHarm) {
  const auto code = spirv_file("sum");
  std::size_t made = 0;
  for (std::size_t word = 0; word < code.size() / 4; ++word) {
    for (const std::uint32_t value : {0u, 1u, 7u, 0xffffu, ~0u}) {
      auto changed = code;
      std::memcpy(changed.data() + word * 4, &value, sizeof value);
      const auto modules = read_modules(changed);
      if (!modules) continue;
      for (const EntryPoint& entry : modules->at(0).entries)
        if (instrument({modules->at(0).code, entry.name, "x", 2})) ++made;
    }
  }
  EXPECT_GT(made, 0u);
}

}  // namespace
}  // namespace pintle::spirv
