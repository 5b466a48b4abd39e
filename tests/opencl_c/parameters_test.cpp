// What comes by value, scratch memory of several parameters, and what does not fit the signature.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

#include "base/dylib.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "opencl_c/compile.h"
#include "pintle/native/cpu_kernel.h"
#include "rig.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

/// One kernel of a source, compiled and opened without a device.
class Code {
 public:
  Code(std::string_view source, std::string_view signature)
      : entry_(must(Entry::parse(signature))), folder_(must(base::TemporaryFolder::create())) {
    const auto compiled = must(opencl_c::compile(must(opencl_c::find_toolchain()), {"test", source, {&entry_, 1}, {}},
                                                 *opencl_c::level_here()));
    const std::string file = folder_ / "code.so";
    must(base::write_file(file, compiled.code));
    library_ = must(base::Dylib::open(file));
  }

  /// Runs one group.
  void run(std::vector<void*> arguments) const {
    pintle_group group{};
    for (std::uint32_t& count : group.count) count = 1;
    const auto function = must(library_.function<std::remove_pointer_t<pintle_cpu_kernel>>(entry_.name.c_str()));
    function(&group, arguments.data());
  }

  [[nodiscard]] std::vector<opencl_c::Need> needs() const {
    return opencl_c::parse_needs(static_cast<const char*>(must(library_.symbol(opencl_c::alignments_symbol))));
  }

 private:
  Entry entry_;
  base::TemporaryFolder folder_;
  base::Dylib library_;
};

/// The words of the refusal.
std::string refusal(std::string_view source, std::string_view signature) {
  const Entry entry = must(Entry::parse(signature));
  const auto compiled =
      opencl_c::compile(must(opencl_c::find_toolchain()), {"test", source, {&entry, 1}, {}}, *opencl_c::level_here());
  return compiled ? "none" : std::string(compiled.error().text());
}

/// Bytes that lie at an odd address.
template <class T>
struct Odd {
  alignas(64) std::array<std::byte, sizeof(T) + 1> bytes;
  explicit Odd(const T& value) { std::memcpy(bytes.data() + 1, &value, sizeof value); }
  void* address() { return bytes.data() + 1; }
};

TEST(OpenClCParameters, StructsAreReadWhereTheMembersAre) {
  struct {
    float x;
    std::array<float, 3> padding;
    std::array<float, 3> a;
    float rest;
    std::int32_t n;
    std::array<std::int32_t, 3> end;
  } given{2, {}, {3, 5, 7}, 0, 11, {}};
  Odd odd(given);
  const Code code(
      "typedef struct { float x; float3 a; int n; } params;\n"
      "kernel void f(params p, global float* out) { out[0] = p.x; out[1] = p.a.x + p.a.y + p.a.z; out[2] = p.n; }",
      "f(p: { x: f32, a: f32x3 at 16, n: i32 at 32 }, out: write f32[]) group 1");
  std::array<float, 3> out{};
  code.run({odd.address(), out.data()});
  EXPECT_EQ(out, (std::array<float, 3>{2, 15, 11}));
}

TEST(OpenClCParameters, AStructThatTheKernelChangesIsEachItemsOwn) {
  struct {
    std::int32_t a, b;
  } given{10, 3};
  const Code code(
      "struct pair { int a, b; };\n"
      "kernel void f(struct pair p, global int* out) { p.a += get_local_id(0); out[get_local_id(0)] = p.a * p.b; }",
      "f(p: { a: i32, b: i32 }, out: write i32[]) group 4");
  std::array<std::int32_t, 4> out{};
  code.run({&given, out.data()});
  EXPECT_EQ(out, (std::array<std::int32_t, 4>{30, 33, 36, 39}));
  EXPECT_EQ(given.a, 10);
}

TEST(OpenClCParameters, VectorsComeWithTheBytesOfTheirNumbers) {
  std::array<float, 3> three{1, 2, 4};
  std::array<std::int32_t, 4> four{1, 10, 100, 1000};
  Odd odd_three(three);
  Odd odd_four(four);
  const Code code(
      "kernel void f(float3 a, int4 b, global float* out) { out[0] = a.x + a.y + a.z; out[1] = b.x + b.y + b.z + b.w; "
      "}",
      "f(a: f32x3, b: i32x4, out: write f32[]) group 1");
  std::array<float, 2> out{};
  code.run({odd_three.address(), odd_four.address(), out.data()});
  EXPECT_EQ(out, (std::array<float, 2>{7, 1111}));
}

TEST(OpenClCParameters, LocalPointersStandAnywhere) {
  const Code code(
      "kernel void f(local float* a, global float* out, local int* b) { int i = get_local_id(0); a[i] = i; b[7 - i] = "
      "i; "
      "barrier(CLK_LOCAL_MEM_FENCE); out[i] = a[7 - i] * 10 + b[i]; }",
      "f(a: local f32[], out: write f32[], b: local i32[]) group 8");
  std::array<float, 8> a{}, out{};
  std::array<std::int32_t, 8> b{};
  code.run({a.data(), out.data(), b.data()});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], static_cast<float>((7 - i) * 11)) << i;
}

struct Wrong {
  std::string parameters, signature;
  std::vector<std::string> words;
  std::string before = "";
};

TEST(OpenClCParameters, WhatDoesNotFitIsRefusedWithBothSides) {
  const std::string record = "typedef struct { float x; float3 a; int n; } params;\n";
  const std::vector<Wrong> all{
      {"int a, global int* b", "a: f32, b: write i32[]", {"(int)", "a: f32"}},
      {"uint a, global int* b", "a: i32, b: write i32[]", {"(uint)", "a: i32"}},
      {"global int* a", "a: read f32[]", {"(global int*)", "a: read f32[]"}},
      {"global float4* a", "a: read f64[]", {"(global float4*)", "a: read f64[]"}},
      {"global int* a", "a: local i32[]", {"(global int*)", "a: local i32[]"}},
      {"local int* a, int b", "a: read i32[], b: i32", {"(local int*)", "a: read i32[]"}},
      {"float4 a", "a: f32x2", {"16 bytes", "8 in the signature"}},
      {"float4 a", "a: i32x4", {"(float4)", "i32x4", "offset 0"}},
      {"params a", "a: { x: f32, a: f32x3, n: i32 }", {"48 bytes"}, record},
      {"params a",
       "a: { x: f32, a: f32x3 at 16, n: f32 at 32 }",
       {"offset 32", "an integer of 4 bytes", "n: f32"},
       record},
      {"params a",
       "a: { x: f32, n: i32 at 8 }",
       {"offset 4", "signature none"},
       "typedef struct { float x; int y, n; } params;\n"},
      {"params a", "a: u64", {"(params)", "a: u64"}, record},
      {"float a", "a: f32, b: f32", {"1 parameters in the source, and 2"}},
      {"read_only image2d_t a", "a: read f32[]", {"(read_only image2d_t)", "a: read f32[]"}},
      {"read_only image2d_t a", "a: write image2d", {"(read_only image2d_t)", "a: write image2d"}},
      {"read_only image2d_t a", "a: read image3d r8", {"(read_only image2d_t)", "a: read image3d r8"}},
      {"read_only image2d_t a", "a: read image2d sampled", {"(read_only image2d_t)", "a: read image2d sampled"}},
      {"read_only image2d_t a", "a: sampler", {"(read_only image2d_t)", "a: sampler"}},
      {"sampler_t a", "a: u64", {"(sampler_t)", "a: u64"}},
      {"global int* a", "a: read image2d", {"(global int*)", "a: read image2d"}},
      {"read_only image2d_array_t a", "a: read image2d", {"image2d_array_t", "does not have"}},
  };
  for (const Wrong& one : all) {
    const std::string words =
        refusal(one.before + "kernel void f(" + one.parameters + ") {}", "f(" + one.signature + ") group 1");
    for (const std::string& word : one.words) EXPECT_THAT(words, HasSubstr(word)) << one.parameters;
  }
}

TEST(OpenClCParameters, AWriteToWhatIsOnlyReadIsRefused) {
  EXPECT_THAT(refusal("kernel void f(global int* a) { a[get_global_id(0)] = 1; }", "f(a: read i32[]) group 1"),
              HasSubstr("writes through the parameter 0 (int*) in the source, and has a: read i32[]"));
}

TEST(OpenClCParameters, BytesMayBeAnything) {
  EXPECT_EQ(
      refusal("kernel void f(global float4* a, struct { int x, y; } b) {}", "f(a: read u8[], b: bytes[8]) group 1"),
      "none");
}

TEST(OpenClCParameters, CodeSaysWhichAlignmentItNeeds) {
  const Code code(
      "kernel void f(global float4* a, global float* b, global float* c) { a[0] = 1; b[1] = 2; "
      "((global float2*)c)[0] = 3; }",
      "f(a: write f32[], b: write f32[], c: write f32[]) group 1");
  const auto needs = code.needs();
  ASSERT_EQ(needs.size(), 2U);
  EXPECT_EQ(needs[0].parameter, 0U);
  EXPECT_EQ(needs[0].bytes, 16U);
  EXPECT_EQ(needs[1].parameter, 2U);
  EXPECT_EQ(needs[1].bytes, 8U);
}

// OpenCL C leaves open what a vector at such an address gives. Programs have them, and drivers take them.
TEST(OpenClCParameters, VectorsMayLieWhereTheirNumbersMay) {
  const Code code(
      "typedef struct { uchar e; uchar q[16]; } block;\n"
      "kernel void f(global uchar* from, global uchar* to) { for (int i = 0; i < 16; ++i) {\n"
      "  *(global float4*)(to + 4 + 20 * i) = *(global float4*)(from + 4 * i);\n"
      "  ((global float16*)(to + 1028))[i] = (float16)(i + from[0]);\n"
      "  ((global uint4*)(to + 2064))[i] = *(global uint4*)((global block*)from)[i].q; } }",
      "f(from: read u8[], to: write u8[]) group 1");
  alignas(64) std::array<unsigned char, 512> from{};
  alignas(64) std::array<unsigned char, 4096> to{};
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(0));
  code.run({from.data(), to.data()});
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t k = 0; k < 16; ++k) {
      EXPECT_EQ(to[4 + 20 * i + k], from[4 * i + k]);
      EXPECT_EQ(to[2064 + 16 * i + k], from[17 * i + 1 + k]);
    }
    float number = 0;
    std::memcpy(&number, to.data() + 1028 + 64 * i + 20, sizeof number);
    EXPECT_EQ(number, static_cast<float>(i));
  }
}

TEST(OpenClCParameters, AMisalignedViewIsRefusedAtTheLaunch) {
  Device device = device_of("cpu");
  const std::string_view signatures[] = {"f(a: write f32[]) group 1"};
  const Kernel kernel =
      must(device.load(must(ProgramPack::source(
                           "opencl_c", "kernel void f(global float4* a) { a[0] = (float4)(1, 2, 3, 4); }", signatures)),
                       "f"));
  Queue queue = must(device.create_queue());
  Buffer buffer = must(device.allocate(DType::f32, {16}));
  const auto refused = queue.submit(CommandList{}.exec(kernel, Grid{1, 1, 1}, must(buffer.slice(1, 4))));
  ASSERT_FALSE(refused);
  EXPECT_THAT(std::string(refused.error().text()), HasSubstr("16"));
  must(queue.submit(CommandList{}.exec(kernel, Grid{1, 1, 1}, must(buffer.slice(4, 4)))));
}

}  // namespace
}  // namespace pintle::test
