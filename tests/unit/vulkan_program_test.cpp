// Programs of Vulkan devices: SPIR-V and GLSL, checked against what is declared.
#include <gmock/gmock.h>

#include <bit>

#include "spirv_support.h"
#include "vulkan_support.h"

namespace pintle::test {
namespace {

using backend::Constant;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

class VulkanProgramTest : public VulkanTest {};

const std::string saxpy = "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 64";

Constant constant(std::string_view name, double value) {
  return {name, DType::f64, {std::bit_cast<std::array<std::byte, 8>>(value)}};
}

std::vector<float> run_saxpy(VulkanRig& rig, backend::ProgramId program) {
  const auto x = rig.buffer(std::vector<float>(100, 3)), y = rig.buffer(std::vector<float>(100, 1));
  rig.run(launch(program, 0, {2, 1, 1},
                 {scalar_argument(2.0f), buffer_argument(range_of(x, 0, 400)), buffer_argument(range_of(y, 0, 400)),
                  scalar_argument(std::uint32_t{100})}));
  return rig.read<float>(y, 0, 100);
}

TEST_F(VulkanProgramTest, RunsSpirvWithItsConstants) {
  each([](VulkanRig& rig) {
    const auto code = spirv_file("saxpy");
    const auto plain = must(rig.try_load("spirv", code, {saxpy}));
    EXPECT_EQ(run_saxpy(rig, plain), std::vector<float>(100, 2 * (3 * 2 + 0.5f) + 1));
    const auto scaled = must(rig.try_load("spirv", code, {saxpy}, {constant("SCALE", 5), constant("SHIFT", 1)}));
    EXPECT_EQ(run_saxpy(rig, scaled), std::vector<float>(100, 2 * (3 * 5 + 1) + 1));
    const auto negative = must(rig.try_load("spirv", code, {saxpy}, {constant("NEGATE", 1)}));
    EXPECT_EQ(run_saxpy(rig, negative), std::vector<float>(100, -5));
    for (const auto program : {plain, scaled, negative}) rig.device->unload(program);
  });
}

// The second load takes what the first one compiled.
TEST_F(VulkanProgramTest, LoadsAgainFromTheCache) {
  each([](VulkanRig& rig) {
    const auto code = spirv_file("saxpy");
    for (int i = 0; i < 3; ++i) {
      const auto program = must(rig.try_load("spirv", code, {saxpy}));
      EXPECT_EQ(run_saxpy(rig, program).at(99), 14.0f);
      rig.device->unload(program);
    }
  });
}

TEST_F(VulkanProgramTest, MismatchesAreRefusedByName) {
  each([](VulkanRig& rig) {
    const auto code = spirv_file("sum");
    const auto refused = rig.try_load("spirv", code, {"sum(from: read u32[], to: write u32[]) group 8"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_THAT(refused.error().text(), HasSubstr("Entry \"sum\" of [Program \"test\"]"));
    const auto unknown = rig.try_load("ptx", code, {saxpy});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), Errc::unsupported);
    const auto truncated = rig.try_load("spirv", std::span(code).first(64), {saxpy});
    ASSERT_FALSE(truncated);
    EXPECT_EQ(truncated.error().code(), Errc::invalid_argument);
  });
}

TEST_F(VulkanProgramTest, CapabilitiesThatTheDeviceLacksAreNamed) {
  each([](VulkanRig& rig) {
    const auto load = [&](std::uint32_t capability) {
      SpirvWriter writer;
      writer.add(17, {capability}).minimal();
      return rig.try_load("spirv", writer.bytes(), {"main()"});
    };
    const auto kernel = load(6);
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().code(), Errc::unsupported);
    EXPECT_THAT(kernel.error().text(), HasSubstr("capability Kernel (6)"));
    SpirvWriter newer(0x00010f00);
    const auto version = rig.try_load("spirv", newer.minimal().bytes(), {"main()"});
    ASSERT_FALSE(version);
    EXPECT_EQ(version.error().code(), Errc::unsupported);
    EXPECT_THAT(version.error().text(), HasSubstr("SPIR-V 1.15"));
    if (rig.device->info().name.find("SwiftShader") == std::string::npos) return;
    const auto lacking = load(11);
    ASSERT_FALSE(lacking);
    EXPECT_EQ(lacking.error().code(), Errc::unsupported);
    EXPECT_THAT(lacking.error().text(), HasSubstr("Int64 (11)"));
  });
}

// A layout without the set that the code has ends the process in two drivers.
TEST_F(VulkanProgramTest, DecorationsOfGroupsAreRead) {
  each([](VulkanRig& rig) {
    const auto program =
        must(rig.try_load("spirv", spirv_file("groups"), {"main(res: write u32[], a: u32, b: u32) group 64"}));
    const auto res = rig.allocate(256);
    rig.run(launch(program, 0, {1, 1, 1},
                   {buffer_argument(range_of(res, 0, 256)), scalar_argument(std::uint32_t{7}),
                    scalar_argument(std::uint32_t{2})}));
    EXPECT_EQ(rig.read<std::uint32_t>(res, 0, 64), Words(64, 2007));
  });
}

// One module of three needs what the device lacks, and one entry is in none of them: the others load.
TEST_F(VulkanProgramTest, AnEntryThatIsMissingOrDoesNotFitCostsOnlyItself) {
  each([](VulkanRig& rig) {
    SpirvWriter plain, lacking;
    plain.minimal("plain");
    lacking.add(17, {6}).minimal("lacking");  // the capability Kernel
    std::vector<std::byte> code(lacking.bytes().begin(), lacking.bytes().end());
    code.insert(code.end(), plain.bytes().begin(), plain.bytes().end());
    std::vector<Entry> entries;
    for (const char* signature : {"absent()", "lacking()", "plain()"}) entries.push_back(must(Entry::parse(signature)));
    std::vector<backend::LeftOut> left_out;
    const auto program = must(rig.device->load({"parts", "spirv", code, entries, {}, &left_out}));
    ASSERT_EQ(left_out.size(), 2u);
    EXPECT_EQ(left_out[0].entry, "absent");
    EXPECT_THAT(left_out[0].reason, HasSubstr("is not in the code"));
    EXPECT_EQ(left_out[1].entry, "lacking");
    EXPECT_THAT(left_out[1].reason, HasSubstr("needs the SPIR-V capability Kernel (6)"));
    rig.run(launch(program, 2, {4, 1, 1}, {}));
    rig.device->unload(program);
    left_out.clear();
    const auto none = rig.device->load({"parts", "spirv", code, std::span(entries).first(2), {}, &left_out});
    EXPECT_EQ(none.error().code(), Errc::unsupported);
  });
}

// The row and the table of what SPIR-V needs say the same.
TEST_F(VulkanProgramTest, SubgroupMatricesAreRefusedAsTheRowSays) {
  each([](VulkanRig& rig) {
    EXPECT_FALSE(rig.has(Feature::subgroup_matrices));
    SpirvWriter writer;
    writer.add(17, {6022}).minimal();
    const auto refused = rig.try_load("spirv", writer.bytes(), {"main()"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_THAT(refused.error().text(), HasSubstr("needs the SPIR-V capability CooperativeMatrixKHR (6022)"));
  });
}

// A driver may end the process for an extension that it does not know.
TEST_F(VulkanProgramTest, ExtensionsThatAreNotKnownAreNamed) {
  each([](VulkanRig& rig) {
    SpirvWriter writer;
    writer.add(10, {}, "SPV_AMD_shader_trinary_minmax").minimal();
    const auto refused = rig.try_load("spirv", writer.bytes(), {"main()"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_THAT(refused.error().text(), HasSubstr("SPIR-V extension \"SPV_AMD_shader_trinary_minmax\""));
  });
}

TEST_F(VulkanProgramTest, GlslIsCompiledForEachEntry) {
  each([](VulkanRig& rig) {
    if (!rig.compiles()) return;
    constexpr std::string_view source = R"(#version 450
      layout(local_size_x = PINTLE_GROUP_X) in;
      layout(set = 0, binding = 0) buffer Data { uint data[]; };
      #ifdef PINTLE_ENTRY_twice
      void main() { data[gl_GlobalInvocationID.x] *= 2; }
      #else
      void main() { data[gl_GlobalInvocationID.x] += 1; }
      #endif
    )";
    const auto program =
        must(rig.try_glsl(source, {"twice(data: read_write u32[]) group 4", "next(data: read_write u32[]) group 2"}));
    const auto data = rig.buffer(Words{1, 2, 3, 4});
    const auto all = buffer_argument(range_of(data, 0, 16));
    rig.run(launch(program, 0, {1, 1, 1}, {all}));
    rig.run(launch(program, 1, {2, 1, 1}, {all}));
    EXPECT_EQ(rig.read<std::uint32_t>(data, 0, 4), (Words{3, 5, 7, 9}));
  });
}

TEST_F(VulkanProgramTest, WrongGlslHasTheCompilersWords) {
  each([](VulkanRig& rig) {
    if (!rig.compiles()) return;
    const auto refused = rig.try_glsl("#version 450\nvoid main() { undeclared_thing = 1; }", {"broken()"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::build_failed);
    EXPECT_THAT(refused.error().text(), HasSubstr("undeclared_thing"));
    EXPECT_THAT(refused.error().text(), HasSubstr("\"broken\""));
  });
}

// More scalars than push constants hold come in a uniform block; narrow ones lie as in a C struct.
TEST_F(VulkanProgramTest, ScalarsComeByUniformBlockToo) {
  each([](VulkanRig& rig) {
    if (!rig.compiles()) return;
    std::string signature = "many(to: write u32[]";
    std::vector<backend::Argument> arguments(1);
    Words expected;
    for (std::uint32_t i = 0; i < 60; ++i) {
      signature += ", s" + std::to_string(i) + ": u32";
      arguments.push_back(scalar_argument(i * 7));
      expected.push_back(i * 7);
    }
    const auto to = rig.allocate(240);
    arguments[0] = buffer_argument(range_of(to, 0, 240));
    const auto program = rig.try_glsl(R"(#version 450
      layout(local_size_x = 1) in;
      layout(set = 0, binding = 0) writeonly buffer To { uint to[]; };
      layout(set = 0, binding = 1, std140) uniform Scalars { uvec4 scalars[15]; };
      void main() { for (uint i = 0; i < 60; ++i) to[i] = scalars[i / 4][i % 4]; }
    )",
                                      {signature + ")"});
    ASSERT_TRUE(program) << program.error().text();
    for (int i = 0; i < 100; ++i) rig.run(launch(*program, 0, {1, 1, 1}, arguments));
    EXPECT_EQ(rig.read<std::uint32_t>(to, 0, 60), expected);
  });
}

TEST_F(VulkanProgramTest, ManyLaunchesInOneList) {
  each([](VulkanRig& rig) {
    if (!rig.compiles()) return;
    const auto program = must(rig.try_glsl(R"(#version 450
      layout(local_size_x = 1) in;
      layout(push_constant) uniform Scalars { uint add; };
      layout(set = 0, binding = 0) buffer Data { uint data[]; };
      void main() { data[0] = data[0] * 3 + add; }
    )",
                                           {"step(data: read_write u32[], add: u32)"}));
    const auto data = rig.buffer(Words{1});
    List list;
    std::uint32_t expected = 1;
    for (std::uint32_t i = 0; i < 500; ++i) {
      backend::Exec exec;
      exec.program = program;
      exec.first_argument = static_cast<std::uint32_t>(list.arguments.size());
      exec.argument_count = 2;
      list.arguments.push_back(buffer_argument(range_of(data, 0, 4)));
      list.arguments.push_back(scalar_argument(i));
      list.add(exec).barrier();
      expected = expected * 3 + i;
    }
    rig.run(list);
    EXPECT_EQ(rig.read<std::uint32_t>(data, 0, 1), Words{expected});
  });
}

TEST_F(VulkanProgramTest, IndirectGridsAreClamped) {
  each([](VulkanRig& rig) {
    if (!rig.compiles()) return;
    const auto program = must(rig.try_glsl(R"(#version 450
      layout(local_size_x = 1) in;
      layout(set = 0, binding = 0) buffer Data { uint count; };
      void main() { atomicAdd(count, 1); }
    )",
                                           {"count(data: read_write u32[])"}));
    const auto data = rig.buffer(Words{0});
    for (const auto& [grid, groups] : {std::pair{Words{3, 1, 1}, 3u}, {Words{9, 9, 9}, 8u}, {Words{0, 1, 1}, 0u}}) {
      rig.write(data, 0, Words{0});
      const auto at = rig.buffer(grid);
      List list = launch(program, 0, {4, 2, 1}, {buffer_argument(range_of(data, 0, 4))});
      const auto exec = std::get<backend::Exec>(list.commands[0].operation);
      list.commands[0].operation = backend::ExecIndirect{exec, range_of(at, 0, 12)};
      rig.run(list);
      EXPECT_EQ(rig.read<std::uint32_t>(data, 0, 1), Words{groups});
    }
  });
}

}  // namespace
}  // namespace pintle::test
