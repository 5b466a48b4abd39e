// What issue 16 asks of declarations that lie: each is refused on every device, with both sides in the message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/subprocess.h"
#include "opencl_support.h"
#include "scratch_folder.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

struct Lie {
  const char* name;
  const char* code;
  const char* signature;
  const char* there;     ///< What the kernel has.
  const char* declared;  ///< What the signature says.
};

constexpr const char* saxpy =
    "kernel void f(global float* y, float a, uint n, global int* k) { if (n > 0) y[0] = a + (float)k[0]; }";
constexpr const char* by_struct =
    "struct pair { float x; int y; };\nkernel void f(global float* y, struct pair p) { y[0] = p.x; }";
constexpr const char* by_image =
    "kernel void f(global float* y, read_only image2d_t p) { y[0] = (float)get_image_width(p); }";
constexpr const char* by_sampler = "kernel void f(global float* y, sampler_t p) { y[0] = 1; }";
constexpr const char* by_const = "kernel void f(global float* y, global const float* p) { y[0] = p[0]; }";

class OpenClTruthTest : public OpenClTest, public testing::WithParamInterface<Lie> {};

TEST_P(OpenClTruthTest, IsRefusedWithBothSides) {
  const Lie& lie = GetParam();
  on_each([&](OpenClRig& rig) {
    const auto loaded = rig.try_load(lie.code, {lie.signature});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code(), Errc::invalid_argument) << loaded.error().text();
    EXPECT_THAT(loaded.error().text(), testing::AllOf(HasSubstr(lie.there), HasSubstr(lie.declared)));
  });
}

INSTANTIATE_TEST_SUITE_P(
    EveryLie, OpenClTruthTest,
    testing::Values(
        Lie{"i32_for_float", saxpy, "f(y: write f32[], a: i32, n: u32, k: read i32[])", "by value (float)",
            "a scalar (i32)"},
        Lie{"f64_for_float", saxpy, "f(y: write f32[], a: f64, n: u32, k: read i32[])", "by value (float)",
            "a scalar (f64)"},
        Lie{"u32_declared_f32", saxpy, "f(y: write f32[], a: f32, n: f32, k: read i32[])", "by value (uint)",
            "a scalar (f32)"},
        Lie{"int_buffer_as_f32", saxpy, "f(y: write f32[], a: f32, n: u32, k: read f32[])", "global (int*)",
            "a buffer (read f32[])"},
        Lie{"buffer_as_value", saxpy, "f(y: f32x4, a: f32, n: u32, k: read i32[])", "global (float*)",
            "a value (f32x4"},
        Lie{"u64_for_struct", by_struct, "f(y: write f32[], p: u64)", "by value (struct pair)", "a scalar (u64)"},
        Lie{"vector_for_struct", by_struct, "f(y: write f32[], p: f32x2)", "by value (struct pair)", "a value (f32x2"},
        Lie{"image_for_buffer", by_image, "f(y: write f32[], p: read f32[])", "image2d_t", "a buffer (read f32[])"},
        Lie{"image_for_value", by_image, "f(y: write f32[], p: bytes[8] align 8)", "image2d_t", "a value (bytes[8]"},
        Lie{"image_for_local", by_image, "f(y: write f32[], p: local f32[])", "image2d_t", "local memory (f32[])"},
        Lie{"another_access", by_image, "f(y: write f32[], p: write image2d)", "(read) image2d_t", "declared (write)"},
        Lie{"other_dimensions", by_image, "f(y: write f32[], p: read image3d)", "image2d_t", "read image3d"},
        Lie{"buffer_for_image", saxpy, "f(y: write image2d, a: f32, n: u32, k: read i32[])", "global (float*)",
            "write image2d"},
        Lie{"sampler_for_image", by_sampler, "f(y: write f32[], p: read image2d)", "sampler_t", "read image2d"},
        Lie{"image_for_sampler", by_image, "f(y: write f32[], p: sampler)", "image2d_t", "sampler"},
        Lie{"sampler_for_scalar", by_sampler, "f(y: write f32[], p: u64)", "sampler_t", "a scalar (u64)"},
        Lie{"write_to_const", by_const, "f(y: write f32[], p: read_write f32[])", "pointer to const", "(read_write)"}),
    [](const auto& instance) { return instance.param.name; });

/// SPIR-V of OpenCL C; empty where there is no compiler.
std::string spirv_of(std::string_view code) {
  const auto clang = base::find_program("clang-22");
  if (!clang) return {};
  const ScratchFolder folder;
  const auto source = folder.path() / "f.cl", module = folder.path() / "f.spv";
  std::ofstream(source) << code;
  const std::string command = *clang + " -c -target spirv64v1.2-unknown-unknown -x cl -cl-std=CL2.0 -Xclang " +
                              "-finclude-default-header -o " + module.string() + " " + source.string();
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream file(module, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// There is no source, and the driver tells nothing of the types: what it takes as arguments is what is known.
TEST_F(OpenClTest, SpirvIsComparedBySizesAndAddresses) {
  const std::string image = spirv_of(by_image), record = spirv_of(by_struct);
  if (image.empty() || record.empty()) GTEST_SKIP() << "clang-22 is not there";
  on_each([&](OpenClRig& rig) {
    const auto& formats = rig.device->info().formats;
    if (std::ranges::find(formats, "spirv_opencl") == formats.end()) return;
    const auto load = [&](std::string_view code, std::string_view signature) {
      const std::vector<Entry> entries{must(Entry::parse(signature))};
      return rig.device->load({"test", "spirv_opencl", base::bytes_in(code), entries, {}});
    };
    EXPECT_THAT(load(image, "f(y: write f32[], p: read f32[])").error().text(),
                HasSubstr("no pointer for the parameter \"p\", declared read f32[]"));
    EXPECT_FALSE(load(record, "f(y: write f32[], p: bytes[12])"));
    EXPECT_FALSE(load(record, "f(y: write f32[], p: local f32[])"));
  });
}

// A view at an offset that no sub-buffer can have would reach the driver only past core, which is told the limit.
TEST_F(OpenClTest, OffsetsAreLimitedByTheDriversAlignment) {
  on_each([](OpenClRig& rig) {
    const std::uint32_t alignment = rig.device->info().limits.offset_alignment;
    EXPECT_TRUE(std::has_single_bit(alignment));
    const auto memory = rig.buffer(std::vector<std::uint32_t>(alignment, 1));
    List list;
    rig.add(list, range_of(memory, alignment, 4), 2);
    rig.run(list);
    const auto words = rig.read<std::uint32_t>(memory, alignment);
    EXPECT_EQ(std::ranges::count(words, 3u), 1);
    EXPECT_EQ(words[alignment / 4], 3u);
  });
}

TEST_F(OpenClTest, SubgroupsAreAsTheKernelIsBuilt) {
  on_each([](OpenClRig& rig) {
    const Limits& limits = rig.device->info().limits;
    EXPECT_LE(limits.min_subgroup, limits.max_subgroup);
    const auto load = [&](std::string_view attribute, std::uint32_t size) {
      const std::string code = std::string(attribute) + " kernel void f(global uint* y) { y[get_global_id(0)] = 1; }";
      return rig.try_load(code, {"f(y: write u32[]) group 64 subgroup " + std::to_string(size)});
    };
    if (limits.max_subgroup == 1) {
      EXPECT_THAT(load("", 1).error().text(), testing::AllOf(HasSubstr("\"f\""), HasSubstr("does not tell")));
      return;
    }
    constexpr std::string_view sixteen = "__attribute__((intel_reqd_sub_group_size(16)))";
    EXPECT_TRUE(load(sixteen, 16));
    EXPECT_THAT(load(sixteen, 32).error().text(),
                testing::AllOf(HasSubstr("subgroups of (16)"), HasSubstr("subgroups of (32) are declared")));
  });
}

}  // namespace
}  // namespace pintle::test
