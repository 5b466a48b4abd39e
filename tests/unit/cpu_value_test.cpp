// Vectors, structs and bytes by value, in C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/c_compiler.h"
#include "cpu_support.h"
#include "pintle/must.h"
#include "scratch_folder.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct alignas(16) Camera {
  float zoom;
  std::int32_t count;
  std::array<float, 2> size;
  std::array<float, 4> from;
};
constexpr Camera camera{2.5f, -3, {8, 9}, {1, 2, 3, 4}};
alignas(16) constexpr std::array<float, 4> vector{10, 20, 30, 40};

/// By compiler: a source's first line names it.
class CpuValue : public testing::TestWithParam<const char*> {
 protected:
  CpuValue() { setenv("XDG_CACHE_HOME", scratch_.path().c_str(), 1); }
  ~CpuValue() override { unsetenv("XDG_CACHE_HOME"); }

  void SetUp() override {
    const auto compiler = base::find_c_compiler(source(""));
    if (!compiler) GTEST_SKIP() << compiler.error().text();
  }

  static std::string source(const std::string& code) {
    return std::string("// pintle: compiler ") + GetParam() + "\n" +
           "typedef float f4 __attribute__((vector_size(16)));\n"
           "typedef struct { float zoom; int32_t count; float size[2]; f4 from; } camera;\n" +
           code;
  }
  Result<backend::ProgramId> load(const std::string& code, const std::string& signature) {
    const std::string text = source(code);
    const std::vector<Entry> entries{must(Entry::parse(signature))};
    return rig_.device->load({"values", "c", std::as_bytes(std::span(text)), entries, {}});
  }
  std::string refusal(const std::string& code, const std::string& signature) {
    const auto loaded = load(code, signature);
    if (loaded) return "accepted";
    EXPECT_EQ(loaded.error().code(), Errc::build_failed);
    return loaded.error().text();
  }
  /// What the first entry writes: a camera and a vector, then four floats.
  std::vector<float> run(const std::string& code, const std::string& signature, std::size_t offset = 0) {
    const auto placed = [&](auto& bytes, const auto& object) {
      std::memcpy(bytes.data() + offset, &object, sizeof object);
      return std::as_bytes(std::span(bytes)).subspan(offset, sizeof object);
    };
    alignas(16) std::array<std::byte, 64> cameras{}, vectors{};
    const auto program = must(load(code, signature));
    const auto out = rig_.buffer<float>({0, 0, 0, 0});
    rig_.run(launch(program, 0, {1, 1, 1},
                    {value_argument(DType::u8, placed(cameras, camera)),
                     value_argument(DType::f32, placed(vectors, vector)), buffer_argument(range_of(out, 0, 16))}));
    return rig_.read<float>(out);
  }

 private:
  ScratchFolder scratch_;
  CpuRig rig_;
};

const std::string signature = "k(c: { zoom: f32, count: i32, size: f32x2, from: f32x4 }, v: f32x4, out: write f32[])";
const std::string body = "{ (void)g; out[0] = c.zoom; out[1] = (float)c.count; out[2] = c.from[2]; out[3] = v[3]; }";

TEST_P(CpuValue, ComeAsTheFunctionDeclaresThem) {
  EXPECT_THAT(run("void k(const pintle_group* g, camera c, f4 v, float* out)" + body, signature),
              ElementsAre(2.5f, -3, 3, 40));
  EXPECT_THAT(run("void k(const pintle_group* g, const camera c, const f4 v, float* restrict out)" + body, signature),
              ElementsAre(2.5f, -3, 3, 40));
  const std::string pointers =
      "{ (void)g; out[0] = c->zoom; out[1] = (float)c->count; out[2] = c->from[2]; out[3] = (*v)[3]; }";
  EXPECT_THAT(
      run("void k(const pintle_group* g, const camera* c, const f4* restrict v, float* out)" + pointers, signature),
      ElementsAre(2.5f, -3, 3, 40));
}

TEST_P(CpuValue, MayBePointersToBytes) {
  const std::string bytes = "{ (void)g; const camera* d = c; const float* w = v; out[0] = d->zoom; out[3] = w[3]; }";
  EXPECT_THAT(run("void k(const pintle_group* g, const void* c, const void* v, float* out)" + bytes, signature),
              ElementsAre(2.5f, 0, 0, 40));
}

TEST_P(CpuValue, ErasedFunctionsGetTheirAddress) {
  const std::string erased =
      "void k(const pintle_group* g, void* const* a) { (void)g; const camera* c = a[0]; const float* v = a[1];"
      " float* out = a[2]; out[0] = c->zoom; out[3] = v[3]; }";
  EXPECT_THAT(run(erased, signature), ElementsAre(2.5f, 0, 0, 40));
}

/// The only parameter of a typed function, and of an erased one, which has two parameters as well.
TEST_P(CpuValue, MayStandAlone) {
  EXPECT_EQ(refusal("void k(const pintle_group* g, camera c) { (void)g; (void)c; }", "k(c: bytes[32])"), "accepted");
  EXPECT_EQ(refusal("void k(const pintle_group* g, void* const* a) { (void)g; (void)a; }", "k(c: bytes[32])"),
            "accepted");
}

TEST_P(CpuValue, OfAnotherSizeAreRefusedWithBoth) {
  const std::string code = "void k(const pintle_group* g, camera c) { (void)g; (void)c; }";
  EXPECT_THAT(refusal(code, "k(c: bytes[24])"),
              AllOf(HasSubstr("[24]"), HasSubstr("[32]"), HasSubstr("the signatures")));
  EXPECT_THAT(refusal(code, "k(c: f32x4)"), AllOf(HasSubstr("[16]"), HasSubstr("[32]")));
  const std::string pointer = "void k(const pintle_group* g, const camera* c) { (void)g; (void)c; }";
  EXPECT_THAT(refusal(pointer, "k(c: bytes[16])"), AllOf(HasSubstr("[16]"), HasSubstr("[32]")));
}

TEST_P(CpuValue, MembersAreCompared) {
  const std::string code = "void k(const pintle_group* g, camera c) { (void)g; (void)c; }";
  const auto with = [&](const std::string& members) { return refusal(code, "k(c: { " + members + " })"); };
  EXPECT_EQ(with("zoom: f32, count: i32, size: f32x2, from: f32x4"), "accepted");
  EXPECT_EQ(with("zoom: f32, count: i32, size: f32x2, from: f32x3"), "accepted");
  EXPECT_EQ(with("zoom: f32, from: f32x4 at 16"), "accepted");
  EXPECT_THAT(with("count: i32, zoom: f32, from: f32x4"), HasSubstr("member count of c is i32 at 0"));
  EXPECT_THAT(with("zoom: i32, count: i32, from: f32x4"), HasSubstr("member zoom of c is i32 at 0"));
  EXPECT_THAT(with("zoom: f32, count: u32, from: f32x4"), HasSubstr("member count of c is u32 at 4"));
  EXPECT_THAT(with("zoom: f32, size: f32x2 at 4, from: f32x4"), HasSubstr("member size of c is f32x2 at 4"));
  EXPECT_THAT(with("size: f32x4 at 0, from: f32x4"), HasSubstr("member size of c is f32x4 at 0"));
  EXPECT_THAT(with("scale: f32, from: f32x4"), HasSubstr("scale"));
}

/// An argument's bytes may lie at any address; the function's own copy does not.
TEST_P(CpuValue, BytesMayLieAnywhere) {
  const std::string code =
      "void k(const pintle_group* g, const camera* c, f4 v, float* out)"
      "{ (void)g; out[0] = c->from[0]; out[1] = v[1]; out[2] = (float)((uintptr_t)c % 16); }";
  EXPECT_THAT(run(code, signature, 1), ElementsAre(1, 20, 0, 0));
}

TEST_P(CpuValue, OtherParametersAreComparedBesideThem) {
  const std::string code =
      "void k(const pintle_group* g, camera c, float a, const float* x) { (void)g; (void)c; (void)a; (void)x; }";
  EXPECT_EQ(refusal(code, "k(c: bytes[32], a: f32, x: read f32[])"), "accepted");
  for (const std::string wrong : {"k(c: bytes[32], a: u32, x: read f32[])", "k(c: bytes[32], a: f32, x: write f32[])",
                                  "k(c: bytes[32], a: f32)", "k(a: f32, c: bytes[32], x: read f32[])"})
    EXPECT_THAT(refusal(code, wrong), AllOf(HasSubstr("incompatible"), HasSubstr("the signatures"))) << wrong;
  EXPECT_THAT(refusal("void k(const pintle_group* g, camera* c) { (void)g; (void)c; }", "k(c: bytes[32])"),
              AllOf(HasSubstr("incompatible"), HasSubstr("camera *")));
}

/// A vector of three has twelve bytes, wherever its type in C has sixteen.
TEST_P(CpuValue, AVectorOfThreeFitsBothOfItsTypes) {
  EXPECT_EQ(refusal("typedef struct { float x, y, z; } f3; void k(const pintle_group* g, f3 v) { (void)g; (void)v; }",
                    "k(v: f32x3)"),
            "accepted");
  EXPECT_EQ(refusal("void k(const pintle_group* g, f4 v) { (void)g; (void)v; }", "k(v: f32x3)"), "accepted");
}

TEST_P(CpuValue, FunctionsThatAreMissingAreNamed) {
  EXPECT_THAT(refusal("int fine;", "k(c: bytes[32])"), AllOf(HasSubstr("\"k\""), HasSubstr("lacks entry points")));
}

INSTANTIATE_TEST_SUITE_P(Compilers, CpuValue, testing::Values("gcc", "clang"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace pintle::test
