// Kernels in the manner of ggml-vulkan, Kompute, ncnn and Sascha Willems' samples, with right results on every device.
// tests/validation runs them under the validation layer.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <filesystem>
#include <fstream>

#include "scratch_folder.h"
#include "vulkan_support.h"

namespace pintle::test {
namespace {

using backend::Constant;
using testing::HasSubstr;
using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;

class VulkanForeignTest : public VulkanTest {
 protected:
  /// Runs the body on every device where GLSL compiles.
  template <class Body>
  void each(Body body) {
    VulkanTest::each([&](VulkanRig& rig) {
      if (rig.compiles()) body(rig);
    });
  }
};

template <class T>
Constant constant(std::string_view name, T value) {
  const ScalarValue scalar = ScalarValue::of(value);
  return {name, scalar.dtype, scalar.bytes};
}

template <class T>
backend::Argument value_argument(const T& value) {
  backend::Argument argument;
  argument.kind = backend::Argument::Kind::value;
  argument.value = std::as_bytes(std::span(&value, 1)).data();
  argument.range.size = sizeof value;
  return argument;
}

Result<backend::ProgramId> load(VulkanRig& rig, std::string_view source, std::string_view signature,
                                std::vector<Constant> constants = {}, backend::SourceOptions options = {}) {
  const std::string text = "#version 450\n" + std::string(source);
  const std::vector<Entry> entries{must(Entry::parse(signature))};
  return rig.device->load({"test", "glsl", base::bytes_in(text), entries, constants, nullptr, options});
}

template <class T>
std::vector<T> run(VulkanRig& rig, backend::ProgramId program, Grid grid, std::vector<backend::Argument> arguments,
                   backend::MemoryId result, std::size_t count) {
  rig.run(launch(program, 0, grid, std::move(arguments)));
  rig.device->unload(program);
  return rig.read<T>(result, 0, count);
}

backend::Argument all(backend::MemoryId memory, std::uint64_t bytes) {
  return buffer_argument(range_of(memory, 0, bytes));
}

/// ggml: sizes in push constants, an offset in each buffer's binding, one that the pipeline does not bind.
TEST_F(VulkanForeignTest, BindingsWithGapsInSeveralSets) {
  each([](VulkanRig& rig) {
    const auto program = must(load(rig, R"(
      layout(local_size_x = 8) in;
      layout(push_constant) uniform parameter { uint n; float scale; } p;
      layout(set = 1, binding = 5) writeonly buffer D { float data_d[]; };
      layout(set = 0, binding = 4) readonly buffer B { float data_b[]; };
      layout(set = 0, binding = 1) readonly buffer A { float data_a[]; };
      void main() {
        const uint i = gl_GlobalInvocationID.x;
        if (i < p.n) data_d[i] = data_a[i] * p.scale - data_b[i];
      })",
                                   "f(n: u32, a: read f32[], scale: f32, b: read f32[], d: write f32[]) group 8"));
    const auto a = rig.buffer(Floats{1, 2, 3, 4, 5}), b = rig.buffer(Floats{5, 5, 5, 5, 5}),
               d = rig.buffer(Floats(6, 7));
    EXPECT_EQ(run<float>(rig, program, {1, 1, 1},
                         {scalar_argument(5u), all(a, 20), scalar_argument(2.0f), all(b, 20), all(d, 20)}, d, 6),
              (Floats{-3, -1, 1, 3, 5, 7}));
  });
}

TEST_F(VulkanForeignTest, OneSetThatIsNotTheFirst) {
  each([](VulkanRig& rig) {
    const auto program = must(load(rig, R"(
      layout(local_size_x = 1) in;
      layout(set = 3, binding = 2) buffer X { uint x[]; };
      void main() { x[0] += 41; })",
                                   "f(x: read_write u32[])"));
    const auto x = rig.buffer(Words{1});
    EXPECT_EQ(run<std::uint32_t>(rig, program, {1, 1, 1}, {all(x, 4)}, x, 1), Words{42});
  });
}

/// A compute sample: a uniform block of its own beside push constants.
TEST_F(VulkanForeignTest, AUniformBlockBesidePushConstants) {
  each([](VulkanRig& rig) {
    const std::string_view source = R"(
      layout(local_size_x = 4) in;
      layout(std140, binding = 1) uniform Frame { float delta; vec4 gravity; int count; } frame;
      layout(std140, binding = 0) buffer Positions { vec4 positions[]; };
      layout(push_constant) uniform Push { float factor; };
      void main() {
        if (gl_GlobalInvocationID.x >= frame.count) return;
        positions[gl_GlobalInvocationID.x] += frame.gravity * frame.delta * factor;
      })";
    const auto program = must(load(rig, source, "f(p: read_write f32[], frame: read u8[], factor: f32) group 4"));
    const auto positions = rig.buffer(Floats(12, 1));
    const auto frame = rig.buffer(Words{std::bit_cast<std::uint32_t>(0.5f), 0, 0, 0, std::bit_cast<std::uint32_t>(2.0f),
                                        std::bit_cast<std::uint32_t>(4.0f), 0, 0, 2, 0, 0, 0});
    const auto expected = Floats{3, 5, 1, 1, 3, 5, 1, 1, 1, 1, 1, 1};
    const List list = launch(program, 0, {1, 1, 1}, {all(positions, 48), all(frame, 48), scalar_argument(2.0f)});
    const auto recording = must(rig.device->record(list));
    rig.run(List({backend::Replay{recording, {}}}));
    EXPECT_EQ(rig.read<float>(positions, 0, 12), expected);
    rig.device->forget(recording);
    const auto small = rig.device->submit(
        rig.queue, {}, launch(program, 0, {1, 1, 1}, {all(positions, 48), all(frame, 16), scalar_argument(2.0f)}));
    ASSERT_FALSE(small);
    EXPECT_THAT(small.error().text(), HasSubstr("(16) bytes, and the kernel's uniform block has (36)"));
  });
}

TEST_F(VulkanForeignTest, ViewsOfUniformBlocksAreAligned) {
  each([](VulkanRig& rig) {
    const std::string text = R"(#version 450
      layout(local_size_x = 1) in;
      layout(binding = 0) uniform A { uint a; };
      layout(binding = 1) uniform B { uint b; };
      layout(binding = 2) buffer X { uint x[]; };
      void main() { x[0] = a * 10 + b; })";
    const std::vector<Entry> entries{must(Entry::parse("f(a: read u32[], x: write u32[], b: u32)"))};
    std::vector<backend::Alignment> alignments;
    const auto program =
        must(rig.device->load({"test", "glsl", base::bytes_in(text), entries, {}, nullptr, {}, &alignments}));
    ASSERT_EQ(alignments.size(), 1u);  // the last uniform block carries the scalars
    EXPECT_EQ(alignments[0].parameter, 0u);
    EXPECT_TRUE(std::has_single_bit(alignments[0].bytes));
    const auto a = rig.buffer(Words(300, 4)), x = rig.allocate(4);
    EXPECT_EQ(run<std::uint32_t>(
                  rig, program, {1, 1, 1},
                  {buffer_argument(range_of(a, alignments[0].bytes, 16)), all(x, 4), scalar_argument(2u)}, x, 1),
              Words{42});
  });
}

TEST_F(VulkanForeignTest, ArraysOfBuffers) {
  each([](VulkanRig& rig) {
    const auto program = must(load(rig, R"(
      layout(local_size_x = 1) in;
      layout(push_constant) uniform P { uint which; };
      layout(set = 0, binding = 2) readonly buffer From { uint x[]; } from[4];
      layout(set = 0, binding = 3) buffer To { uint y[]; };
      void main() { y[0] = from[which].x[0] + from[3].x[0]; })",
                                   "f(a: read u32[], b: read u32[], c: read u32[], d: read u32[], y: write u32[], "
                                   "which: u32)"));
    const auto a = rig.buffer(Words{1}), b = rig.buffer(Words{20}), c = rig.buffer(Words{300}),
               d = rig.buffer(Words{4000});
    const auto y = rig.allocate(4);
    EXPECT_EQ(run<std::uint32_t>(rig, program, {1, 1, 1},
                                 {all(a, 4), all(b, 4), all(c, 4), all(d, 4), all(y, 4), scalar_argument(2u)}, y, 1),
              Words{4300});
  });
}

/// ncnn and ggml: the group and its memory by one constant, which LocalSizeId takes in SPIR-V 1.6.
TEST_F(VulkanForeignTest, GroupsAndSharedMemoryByOneConstant) {
  for (const std::string_view target : {"vulkan1.2", "vulkan1.3"}) {
    each([&](VulkanRig& rig) {
      const auto program = load(rig, R"(
        layout(local_size_x_id = 0) in;
        layout(constant_id = 0) const uint BLOCK = 32;
        layout(constant_id = 1) const float BIAS = 0;
        shared float sums[BLOCK + 1];
        layout(binding = 0) readonly buffer X { float x[]; };
        layout(binding = 1) writeonly buffer Y { float y[]; };
        void main() {
          const uint i = gl_LocalInvocationID.x;
          sums[i] = x[gl_GlobalInvocationID.x];
          barrier();
          for (uint step = BLOCK / 2; step > 0; step /= 2) {
            if (i < step) sums[i] += sums[i + step];
            barrier();
          }
          if (i == 0) y[gl_WorkGroupID.x] = sums[0] + BIAS;
        })",
                                "f(x: read f32[], y: write f32[]) group BLOCK=16",
                                {constant("BLOCK", 16u), constant("BIAS", 0.5f)}, {{}, {}, target});
      if (!program && target == "vulkan1.3") {
        EXPECT_THAT(program.error().text(), HasSubstr("needs SPIR-V 1.6"));
        return;
      }
      const auto x = rig.buffer(Floats(32, 2)), y = rig.allocate(8);
      EXPECT_EQ(run<float>(rig, must(program), {2, 1, 1}, {all(x, 128), all(y, 8)}, y, 2), (Floats{32.5f, 32.5f}));
    });
  }
}

struct Matrices {
  float x;
  std::array<float, 3> padding;
  std::array<float, 3> a;
  float b;
};

TEST_F(VulkanForeignTest, VectorsAndStructsByValue) {
  each([](VulkanRig& rig) {
    const std::string_view source = R"(
      layout(local_size_x = 1) in;
      layout(push_constant, std430) uniform P { float x; vec3 a; float b; };
      layout(binding = 0) buffer Y { float y[]; };
      void main() { y[0] = x; y[1] = a.x; y[2] = a.y; y[3] = a.z; y[4] = b; })";
    const auto y = rig.allocate(20);
    const Floats expected{1, 2, 3, 4, 5};
    const std::array<float, 3> a{2, 3, 4};
    const auto vectors = must(load(rig, source, "f(y: write f32[], x: f32, a: f32x3, b: f32)"));
    EXPECT_EQ(run<float>(rig, vectors, {1, 1, 1},
                         {all(y, 20), scalar_argument(1.0f), value_argument(a), scalar_argument(5.0f)}, y, 5),
              expected);
    const Matrices whole{1, {}, {2, 3, 4}, 5};
    for (const char* const type : {"{ x: f32, a: f32x3 at 16, b: f32 }", "bytes[32]"}) {
      const auto program = must(load(rig, source, "f(y: write f32[], p: " + std::string(type) + ")"));
      EXPECT_EQ(run<float>(rig, program, {1, 1, 1}, {all(y, 20), value_argument(whole)}, y, 5), expected) << type;
    }
  });
}

/// ggml reads quantised blocks as structs, and one binding as two types.
TEST_F(VulkanForeignTest, OneBindingOfTwoTypes) {
  each([](VulkanRig& rig) {
    const auto program = must(load(rig, R"(
      layout(local_size_x = 1) in;
      layout(binding = 0) readonly buffer A { float a[]; };
      layout(binding = 0) readonly buffer A4 { vec4 a4[]; };
      layout(binding = 3) writeonly buffer Y { float y[]; };
      void main() { y[0] = dot(a4[1], vec4(1)) + a[0]; })",
                                   "f(a: read f32[], y: write f32[])"));
    const auto a = rig.buffer(Floats{1, 2, 3, 4, 5, 6, 7, 8}), y = rig.allocate(4);
    EXPECT_EQ(run<float>(rig, program, {1, 1, 1}, {all(a, 32), all(y, 4)}, y, 1), Floats{27});
  });
}

/// What a kernel needs and a device lacks is named; else the kernel is right.
void expect_named(VulkanRig& rig, const Result<backend::ProgramId>& program, std::string_view capability) {
  if (program) return rig.device->unload(*program);
  EXPECT_EQ(program.error().code(), Errc::unsupported);
  EXPECT_THAT(program.error().text(), HasSubstr(std::string(capability)));
}

TEST_F(VulkanForeignTest, SmallNumbersInBuffers) {
  each([](VulkanRig& rig) {
    const auto program = load(rig, R"(
      #extension GL_EXT_shader_explicit_arithmetic_types : require
      #extension GL_EXT_shader_16bit_storage : require
      #extension GL_EXT_shader_8bit_storage : require
      struct block_q8 { float16_t d; int8_t qs[6]; };
      layout(local_size_x = 1) in;
      layout(binding = 0) readonly buffer Q { block_q8 q[]; };
      layout(binding = 1) writeonly buffer Y { uint8_t y[]; };
      void main() { for (uint i = 0; i < 8; ++i) y[i] = uint8_t(float(q[0].d) * float(q[0].qs[min(i, 5)])); })",
                              "f(q: read u8[], y: write u8[])");
    if (!program) return expect_named(rig, program, "the device lacks");
    const auto q = rig.buffer(std::vector<std::uint8_t>{0x00, 0x40, 1, 2, 3, 4, 5, 6});  // d is 2
    const auto y = rig.buffer(std::vector<std::uint8_t>(8, 77));
    // The last byte is no part of the view.
    EXPECT_EQ(run<std::uint8_t>(rig, *program, {1, 1, 1}, {all(q, 8), all(y, 7)}, y, 8),
              (std::vector<std::uint8_t>{2, 4, 6, 8, 10, 12, 12, 77}));
  });
}

TEST_F(VulkanForeignTest, SubgroupsOfTheSizeThatIsAskedFor) {
  each([](VulkanRig& rig) {
    const Limits& limits = rig.device->info().limits;
    EXPECT_GE(limits.min_subgroup, 1u);
    EXPECT_LE(limits.min_subgroup, limits.max_subgroup);
    for (std::uint32_t size = limits.min_subgroup; size <= limits.max_subgroup; size *= 2) {
      const auto program = load(rig, R"(
        #extension GL_KHR_shader_subgroup_arithmetic : require
        layout(local_size_x = 64) in;
        layout(binding = 0) writeonly buffer Y { uint y[]; };
        void main() { y[gl_LocalInvocationID.x] = subgroupAdd(1u) * 1000 + gl_SubgroupSize; })",
                                "f(y: write u32[]) group 64 subgroup " + std::to_string(size));
      if (!program) return expect_named(rig, program, "GroupNonUniformArithmetic (63)");
      const auto y = rig.allocate(256);
      EXPECT_EQ(run<std::uint32_t>(rig, *program, {1, 1, 1}, {all(y, 256)}, y, 64), Words(64, size * 1001));
    }
  });
}

TEST_F(VulkanForeignTest, AtomicsOfFloats) {
  each([](VulkanRig& rig) {
    const auto program = load(rig, R"(
      #extension GL_EXT_shader_atomic_float : require
      layout(local_size_x = 64) in;
      layout(binding = 0) buffer Y { float y; };
      void main() { atomicAdd(y, 0.5); })",
                              "f(y: read_write f32[]) group 64");
    EXPECT_EQ(bool(program), rig.has(Feature::float_atomics));
    if (!program) return expect_named(rig, program, "AtomicFloat32AddEXT (6033)");
    const auto y = rig.buffer(Floats{1});
    EXPECT_EQ(run<float>(rig, *program, {4, 1, 1}, {all(y, 4)}, y, 1), Floats{129});
  });
}

TEST_F(VulkanForeignTest, WhatNoSignatureSaysIsRefusedByName) {
  each([](VulkanRig& rig) {
    expect_named(rig,
                 load(rig, R"(
      #extension GL_EXT_buffer_reference : require
      layout(local_size_x = 1) in;
      layout(buffer_reference) buffer Target { uint word; };
      layout(push_constant) uniform P { Target target; };
      void main() { target.word = 1; })",
                      "f(target: u64)"),
                 "PhysicalStorageBufferAddresses (5347)");
    const auto image = load(rig, R"(
      layout(local_size_x = 1) in;
      layout(binding = 0) uniform samplerCube picture;
      layout(binding = 1) buffer Y { vec4 y[]; };
      void main() { y[0] = textureLod(picture, vec3(0), 0.0); })",
                            "f(y: write f32[])");
    ASSERT_FALSE(image);
    EXPECT_THAT(image.error().text(),
                HasSubstr("\"picture\" (an image with a sampler that is a cube) at set 0, binding 0"));
  });
}

TEST_F(VulkanForeignTest, MoreSharedMemoryThanTheDeviceHasIsRefused) {
  each([](VulkanRig& rig) {
    const auto program = load(rig, R"(
      layout(local_size_x = 1) in;
      layout(constant_id = 0) const uint COUNT = 1;
      shared uint tile[COUNT * 4];
      layout(binding = 0) buffer Y { uint y[]; };
      void main() { tile[y[0]] = 1; barrier(); y[0] = tile[y[1]]; })",
                              "f(y: read_write u32[])", {constant("COUNT", std::uint32_t{1} << 20)});
    ASSERT_FALSE(program);
    EXPECT_THAT(program.error().text(), HasSubstr("(16777216) bytes of shared memory, and the limit"));
  });
}

TEST_F(VulkanForeignTest, SourceOptionsReachTheCompiler) {
  each([](VulkanRig& rig) {
    const ScratchFolder folder;
    const std::string_view source = R"(
      #extension GL_GOOGLE_include_directive : enable
      #include "shared.glsl"
      layout(local_size_x = 1) in;
      layout(binding = 0) buffer Y { TYPE y[]; };
      void main() { y[0] = answer(); y[1] = __VERSION__; })";
    const auto y = rig.allocate(8);
    const std::array macros{backend::Macro{"TYPE", "uint"}};
    const std::array folders{folder.path().string()};
    for (const std::uint32_t answer : {42u, 43u}) {  // a file that changes is no hit in the cache
      std::ofstream(folder.path() / "shared.glsl") << "uint answer() { return " << answer << "; }\n";
      const auto program = load(rig, source, "f(y: write u32[])", {}, {macros, folders, "460"});
      ASSERT_TRUE(program) << program.error().text();
      EXPECT_EQ(run<std::uint32_t>(rig, *program, {1, 1, 1}, {all(y, 8)}, y, 2), (Words{answer, 460}));
    }
    const auto wrong = load(rig, source, "f(y: write u32[])", {}, {macros, folders, "4 60"});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code(), Errc::invalid_argument);
    const std::vector<Entry> entries{must(Entry::parse("f(y: write u32[])"))};
    const auto compiled = rig.device->load({"test", "spirv", {}, entries, {}, nullptr, {macros, {}, {}}});
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().code(), Errc::unsupported);
    EXPECT_THAT(compiled.error().text(), HasSubstr("takes no macro \"TYPE\""));
  });
}

}  // namespace
}  // namespace pintle::test
