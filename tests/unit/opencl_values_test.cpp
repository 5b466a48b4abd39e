#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "opencl_support.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;

class OpenClValuesTest : public OpenClTest {
 protected:
  /// Loading `code` on every device is `invalid_argument`, with the words.
  template <class Matcher>
  void expect_refused(std::string_view code, const std::string& signature, Matcher matcher) {
    on_each([&](OpenClRig& rig) {
      const auto loaded = rig.try_load(code, {signature});
      ASSERT_FALSE(loaded);
      EXPECT_EQ(loaded.error().code(), Errc::invalid_argument) << loaded.error().text();
      EXPECT_THAT(std::string(loaded.error().message()), matcher);
    });
  }
};

template <class T>
backend::Argument value_argument(const T& value) {
  backend::Argument argument;
  argument.kind = backend::Argument::Kind::value;
  argument.range.size = sizeof value;
  argument.value = reinterpret_cast<const std::byte*>(&value);
  return argument;
}

backend::Argument local_argument(std::uint64_t bytes) {
  backend::Argument argument;
  argument.kind = backend::Argument::Kind::local;
  argument.range.size = bytes;
  return argument;
}

constexpr std::string_view camera_code = R"(
struct camera { float x; float3 at; int turns; };
typedef struct { float scale; uint count; } lens;
kernel void look(global float* out, float4 v, struct camera c, float3 t, lens l, uchar2 u) {
  out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w;
  out[4] = c.x; out[5] = c.at.x; out[6] = c.at.y; out[7] = c.at.z; out[8] = (float)c.turns;
  out[9] = t.x; out[10] = t.y; out[11] = t.z;
  out[12] = l.scale; out[13] = (float)l.count; out[14] = (float)u.x; out[15] = (float)u.y;
}
)";
constexpr const char* camera_signature =
    "look(out: write f32[], v: f32x4, c: { x: f32, at: f32x3 at 16, turns: i32 at 32 }, t: f32x3, l: bytes[8] align 4, "
    "u: u8x2)";

struct alignas(16) Camera {
  float x;
  alignas(16) std::array<float, 4> at;
  std::int32_t turns;
};
struct Lens {
  float scale;
  std::uint32_t count;
};

TEST_F(OpenClValuesTest, VectorsStructsAndBytesArrive) {
  on_each([](OpenClRig& rig) {
    const auto program = must(rig.try_load(camera_code, {camera_signature}));
    const auto out = rig.buffer(Floats(16, -1));
    std::array<float, 4> v{1, 2, 3, 4};
    std::array<float, 3> t{10, 11, 12};
    std::array<std::uint8_t, 2> u{15, 16};
    Camera camera{5, {6, 7, 8, 0}, 9};
    Lens lens{13, 14};
    const auto run = [&] {
      rig.run(launch(program, 0, {1, 1, 1},
                     {buffer_argument(range_of(out, 0, 64)), value_argument(v), value_argument(camera),
                      value_argument(t), value_argument(lens), value_argument(u)}));
      return rig.read<float>(out, 16);
    };
    EXPECT_EQ(run(), (Floats{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
    v[3] = 40;  // in place: what was set last is compared by what it holds
    camera.turns = 90;
    t[2] = 120;
    lens.count = 140;
    u[1] = 160;
    EXPECT_EQ(run(), (Floats{1, 2, 3, 40, 5, 6, 7, 8, 90, 10, 11, 120, 13, 140, 15, 160}));
    rig.device->unload(program);
  });
}

TEST_F(OpenClValuesTest, ValuesInARecordingStay) {
  on_each([](OpenClRig& rig) {
    constexpr std::string_view code = "kernel void f(global int* out, int2 v) { out[v.x] = v.y; }";
    const auto program = must(rig.try_load(code, {"f(out: write i32[], v: i32x2)"}));
    const auto out = rig.buffer(std::vector<std::int32_t>(2, 0));
    const std::array<std::int32_t, 2> first{0, 7}, second{1, 8};
    const List list = launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(out, 0, 8)), value_argument(first)});
    const List other = launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(out, 0, 8)), value_argument(second)});
    const auto one = must(rig.device->record(list)), two = must(rig.device->record(other));
    for (const auto recording : {one, two, one}) {
      List replay;
      replay.add(backend::Replay{recording, {}});
      rig.run(replay);
    }
    EXPECT_EQ(rig.read<std::int32_t>(out, 2), (std::vector<std::int32_t>{7, 8}));
    rig.device->forget(one);
    rig.device->forget(two);
  });
}

// What was set last is compared: a null comes behind a buffer, and a buffer behind a null.
TEST_F(OpenClValuesTest, ANullComesBetweenBuffers) {
  on_each([](OpenClRig& rig) {
    constexpr std::string_view code =
        "kernel void f(global const int* x, global int* out) { out[0] += x == 0 ? 1000 : x[0]; }";
    const auto program = must(rig.try_load(code, {"f(x: optional read i32[], out: read_write i32[])"}));
    const auto out = rig.buffer(std::vector<std::int32_t>{0}), x = rig.buffer(std::vector<std::int32_t>{7});
    const auto add = [&](const backend::Argument& argument) {
      rig.run(launch(program, 0, {1, 1, 1}, {argument, buffer_argument(range_of(out, 0, 4))}));
      return rig.read<std::int32_t>(out, 1)[0];
    };
    const backend::Argument given = buffer_argument(range_of(x, 0, 4)), null = null_argument();
    EXPECT_EQ(add(null), 1000);
    EXPECT_EQ(add(null), 2000);
    EXPECT_EQ(add(given), 2007);
    EXPECT_EQ(add(null), 3007);
    EXPECT_EQ(add(given), 3014);
    rig.device->release(x);
    EXPECT_EQ(add(null), 4014);
    const auto other = rig.buffer(std::vector<std::int32_t>{5});
    EXPECT_EQ(add(buffer_argument(range_of(other, 0, 4))), 4019);
    rig.device->unload(program);
  });
}

// What the driver cannot tell of a type, its size can.
TEST_F(OpenClValuesTest, AStructOfAnotherSizeIsRefused) {
  constexpr std::string_view named =
      "struct pair { float x; int y; };\nkernel void f(global float* y, struct pair a) { y[0] = a.x; }";
  constexpr std::string_view aliased =
      "typedef struct { float x; float3 at; float b; } ray;\nkernel void f(global float* y, ray a) { y[0] = a.b; }";
  const auto words = [](std::string_view what, std::string_view bytes) {
    return AllOf(HasSubstr("\"f\""), HasSubstr("\"a\""), HasSubstr(std::string(what)), HasSubstr(std::string(bytes)));
  };
  expect_refused(named, "f(y: write f32[], a: { x: f32, y: i32, z: f32 })", words("z: f32", "12 bytes"));
  expect_refused(named, "f(y: write f32[], a: { x: f32 })", words("x: f32", "4 bytes"));
  expect_refused(aliased, "f(y: write f32[], a: { x: f32, at: f32x3 at 16, b: f32 })",
                 words("f32x3 at 16", "32 bytes"));
  expect_refused(aliased, "f(y: write f32[], a: bytes[64] align 16)", words("bytes[64]", "64 bytes"));
  on_each([&](OpenClRig& rig) {
    EXPECT_TRUE(rig.try_load(named, {"f(y: write f32[], a: { x: f32, y: i32 })"}));
    EXPECT_TRUE(rig.try_load(aliased, {"f(y: write f32[], a: { x: f32, at: f32x3 at 16, b: f32 at 32 })"}));
  });
}

TEST_F(OpenClValuesTest, VectorsAreComparedByTypeAndLanes) {
  constexpr std::string_view code = "kernel void f(global float* y, float4 a) { y[0] = a.x; }";
  const auto words = [](std::string_view declared) {
    return AllOf(HasSubstr("by value (float4)"), HasSubstr("\"a\", declared as a value (" + std::string(declared)));
  };
  expect_refused(code, "f(y: write f32[], a: f32x2)", words("f32x2"));
  expect_refused(code, "f(y: write f32[], a: i32x4)", words("i32x4"));
  expect_refused(code, "f(y: write f32[], a: f32x3)", words("f32x3"));
  expect_refused(code, "f(y: write f32[], a: { x: f32, y: f32, z: f32, w: f32 })", words("{ x: f32"));
  expect_refused(code, "f(y: write f32[], a: bytes[8])", words("bytes[8]"));
  on_each([&](OpenClRig& rig) { EXPECT_TRUE(rig.try_load(code, {"f(y: write f32[], a: bytes[16])"})); });
}

constexpr std::string_view local_code = R"(
kernel void turn(local uint* mine, global uint* out, local float* shift, uint a) {
  const size_t i = get_local_id(0), n = get_local_size(0);
  mine[i] = (uint)i;
  shift[i] = (float)a;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = mine[n - 1 - i] + (uint)shift[(i + 1) % n];
}
)";

TEST_F(OpenClValuesTest, LocalArgumentsStandAnywhereAndAreSizedAtTheLaunch) {
  on_each([](OpenClRig& rig) {
    EXPECT_EQ(rig.device->info().capability(Feature::local_arguments).support, Support::native);
    const auto program = must(
        rig.try_load(local_code, {"turn(mine: local u32[], out: write u32[], shift: local f32[], a: u32) group 8"}));
    const auto out = rig.buffer(Words(16, 0));
    for (const std::uint32_t a : {3u, 5u}) {
      const std::uint64_t bytes = 32 * a;
      rig.run(launch(program, 0, {2, 1, 1},
                     {local_argument(bytes), buffer_argument(range_of(out, 0, 64)), local_argument(2 * bytes),
                      scalar_argument(a)}));
      const Words words = rig.read<std::uint32_t>(out, 16);
      for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(words[i], 7 - i % 8 + a);
    }
    rig.device->unload(program);
  });
}

TEST_F(OpenClValuesTest, LocalArgumentsAreComparedByKindAndType) {
  expect_refused(local_code, "turn(mine: local f32[], out: write u32[], shift: local f32[], a: u32)",
                 AllOf(HasSubstr("local (uint*)"), HasSubstr("\"mine\", declared as local memory (f32[])")));
  expect_refused(local_code, "turn(mine: read u32[], out: write u32[], shift: local f32[], a: u32)",
                 AllOf(HasSubstr("local (uint*)"), HasSubstr("declared as a buffer (read u32[])")));
  expect_refused(local_code, "turn(mine: local u32[], out: local u32[], shift: local f32[], a: u32)",
                 AllOf(HasSubstr("global (uint*)"), HasSubstr("\"out\", declared as local memory (u32[])")));
  expect_refused(local_code, "turn(mine: local u32[], out: write u32[], shift: local f32[], a: local u32[])",
                 AllOf(HasSubstr("by value (uint)"), HasSubstr("declared as local memory (u32[])")));
}

constexpr std::string_view own_code = R"(
kernel void f(global uint* out, local uint* given) {
  local uint own[1024];
  own[get_local_id(0)] = 1;
  given[get_local_id(0)] = 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_size(0) - 1 - get_local_id(0)] + given[0];
}
)";

// Core knows nothing of what a kernel declares itself.
TEST_F(OpenClValuesTest, OwnLocalMemoryCountsAtTheLaunch) {
  on_each([](OpenClRig& rig) {
    if (rig.device->info().driver.starts_with("rusticl")) return;  // it tells twice the size
    const std::uint64_t most = rig.device->info().limits.max_local_bytes;
    const auto program = must(rig.try_load(own_code, {"f(out: write u32[], given: local u32[]) group 8"}));
    const auto out = rig.buffer(Words(8, 0));
    const auto list = [&](std::uint64_t bytes) {
      return launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(out, 0, 32)), local_argument(bytes)});
    };
    const auto refused = rig.device->submit(rig.queue, {}, list(most));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_THAT(std::string(refused.error().message()),
                AllOf(HasSubstr(std::to_string(most + 4096)), HasSubstr("\"f\" declares 4096"),
                      HasSubstr(std::to_string(most))));
    EXPECT_FALSE(rig.device->record(list(most)));
    rig.run(list(most - 4096));
    EXPECT_EQ(rig.read<std::uint32_t>(out, 8), Words(8, 3));
    const auto loaded = rig.try_load(own_code, {"f(out: write u32[]) group 8 local " + std::to_string(most)});
    ASSERT_FALSE(loaded);
    EXPECT_THAT(std::string(loaded.error().message()),
                AllOf(HasSubstr("\"f\""), HasSubstr(std::to_string(most + 4096)), HasSubstr(std::to_string(most))));
  });
}

}  // namespace
}  // namespace pintle::test
