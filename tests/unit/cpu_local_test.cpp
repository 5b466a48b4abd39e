// Scratch memory of a group as an argument, sized at the launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cpu_support.h"
#include "host/launch.h"
#include "pintle/must.h"
#include "pintle/native/cpu.h"
#include "pintle/pintle.h"
#include "scratch_folder.h"

namespace pintle::test {
namespace {

using testing::Each;
using testing::HasSubstr;

/// What a kernel saw of its memory: whether all of it was its own alone, and aligned.
void use_all(const pintle_group* group, void* const* arguments) {
  auto* const first = static_cast<std::uint32_t*>(arguments[0]);
  auto* const out = static_cast<std::uint32_t*>(arguments[1]);
  auto* const second = static_cast<std::uint64_t*>(arguments[2]);
  const std::uint32_t firsts = *static_cast<const std::uint32_t*>(arguments[3]);
  const std::uint32_t seconds = *static_cast<const std::uint32_t*>(arguments[4]);
  const std::uint32_t mine = group->id[0] + 1;
  for (std::uint32_t i = 0; i < firsts; ++i) first[i] = mine;
  for (std::uint32_t i = 0; i < seconds; ++i) second[i] = mine * 3ull;
  auto* const fixed = static_cast<std::uint8_t*>(group->local);
  for (std::uint32_t i = 0; i < group->local_bytes; ++i) fixed[i] = 0xee;
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < firsts; ++i) wrong += first[i] != mine ? 1 : 0;
  for (std::uint32_t i = 0; i < seconds; ++i) wrong += second[i] != mine * 3ull ? 1 : 0;
  const auto bits = reinterpret_cast<std::uintptr_t>(first) | reinterpret_cast<std::uintptr_t>(second) |
                    reinterpret_cast<std::uintptr_t>(group->local);
  out[group->id[0]] = wrong + (bits % 64 != 0 ? 1000 : 0);
}

std::vector<std::uint32_t> wrong_in(CpuRig& rig, const std::string& end, std::uint32_t firsts, std::uint32_t seconds) {
  constexpr std::uint32_t groups = 512;
  const auto program =
      rig.native({"local_test_all(a: local u32[], out: write u32[], b: local u64[], n: u32, m: u32)" + end});
  const auto out = rig.buffer<std::uint32_t>(std::vector<std::uint32_t>(groups, 7));
  rig.run(
      launch(program, 0, {groups, 1, 1},
             {local_argument(DType::u32, firsts * sizeof(std::uint32_t)), buffer_argument(range_of(out, 0, groups * 4)),
              local_argument(DType::u64, seconds * sizeof(std::uint64_t)), scalar_argument(firsts),
              scalar_argument(seconds)}));
  return rig.read<std::uint32_t>(out);
}

class CpuLocal : public testing::TestWithParam<const char*> {
 protected:
  CpuLocal() { must(cpu::register_kernel("local_test_all", use_all)); }

  static std::vector<Option> options() {
    const std::string_view key = GetParam();
    return {Option{key, key == "threads" ? "4" : ""}};
  }
};

TEST_P(CpuLocal, EachGroupHasItsOwn) {
  CpuRig rig(options());
  EXPECT_THAT(wrong_in(rig, "", 1, 1), Each(0u));
  EXPECT_THAT(wrong_in(rig, "", 100, 33), Each(0u));
  EXPECT_THAT(wrong_in(rig, " local 1000", 100, 33), Each(0u));
}

TEST_P(CpuLocal, TogetherTheyMayHaveTheWholeLimit) {
  CpuRig rig(options());
  const std::uint32_t firsts = (host::max_local_bytes - 8) / 4;
  EXPECT_THAT(wrong_in(rig, "", firsts, 1), Each(0u));
  EXPECT_THAT(wrong_in(rig, " local 4", firsts - 1, 1), Each(0u));
}

/// out[group] = 1 for each optional buffer that is there, and 100 where the memory between them is.
void count_given(const pintle_group* group, void* const* arguments) {
  auto* const out = static_cast<std::uint32_t*>(arguments[1]);
  out[group->id[0]] =
      (arguments[0] != nullptr ? 1u : 0) + (arguments[3] != nullptr ? 1u : 0) + (arguments[2] != nullptr ? 100u : 0);
}

TEST_P(CpuLocal, AnOptionalBufferBesideItMayBeNull) {
  must(cpu::register_kernel("local_test_given", count_given));
  CpuRig rig(options());
  const auto program = rig.native(
      {"local_test_given(x: optional read f32[], out: write u32[], t: local f32[], y: optional write u8[])"});
  const auto out = rig.buffer<std::uint32_t>(std::vector<std::uint32_t>(64, 7));
  const auto given = buffer_argument(range_of(out, 0, 256)), null = null_argument();
  const auto run = [&](const backend::Argument& x, const backend::Argument& y) {
    rig.run(
        launch(program, 0, {64, 1, 1}, {x, buffer_argument(range_of(out, 0, 256)), local_argument(DType::f32, 64), y}));
    return rig.read<std::uint32_t>(out);
  };
  EXPECT_THAT(run(null, null), Each(100u));
  EXPECT_THAT(run(null, given), Each(101u));
  EXPECT_THAT(run(given, null), Each(101u));
  EXPECT_THAT(run(given, given), Each(102u));
}

INSTANTIATE_TEST_SUITE_P(Devices, CpuLocal, testing::Values("inline", "threads"),
                         [](const auto& info) { return std::string(info.param); });

/// As many as an entry may have: each begins at a multiple of 64, though together they fill the limit.
TEST(CpuLocalLimits, ManySmallOnes) {
  must(cpu::register_kernel("local_test_many", [](const pintle_group*, void* const* arguments) {
    for (int i = 0; i < 255; ++i) *static_cast<std::uint8_t*>(arguments[i]) = static_cast<std::uint8_t>(i);
    std::uint8_t wrong = 0;
    for (int i = 0; i < 255; ++i) wrong |= static_cast<std::uint8_t>(*static_cast<std::uint8_t*>(arguments[i]) != i);
    *static_cast<std::uint8_t*>(arguments[255]) = wrong;
  }));
  std::string signature = "local_test_many(";
  std::vector<backend::Argument> arguments;
  for (int i = 0; i < 255; ++i) {
    signature += "a" + std::to_string(i) + ": local u8[], ";
    arguments.push_back(local_argument(DType::u8, host::max_local_bytes / 255));
  }
  CpuRig rig;
  const auto out = rig.buffer<std::uint8_t>({9});
  arguments.push_back(buffer_argument(range_of(out, 0, 1)));
  rig.run(launch(rig.native({signature + "out: write u8[])"}), 0, {1, 1, 1}, arguments));
  EXPECT_EQ(rig.read<std::uint8_t>(out)[0], 0);
}

class CpuLocalSource : public testing::Test {
 protected:
  CpuLocalSource() { setenv("XDG_CACHE_HOME", scratch_.path().c_str(), 1); }
  ~CpuLocalSource() override { unsetenv("XDG_CACHE_HOME"); }

 private:
  ScratchFolder scratch_;
};

constexpr std::string_view reversed = R"(
void reversed(const pintle_group* group, const float* x, float* tile, float* y) {
  const uint32_t n = group->size[0], first = group->id[0] * n;
  for (uint32_t i = 0; i < n; ++i) tile[i] = x[first + i];
  for (uint32_t i = 0; i < n; ++i) y[first + i] = tile[n - 1 - i];
}
)";

TEST_F(CpuLocalSource, TypedFunctionsTakeAPointer) {
  Device device = must(open("cpu"));
  const auto pack = must(ProgramPack::source(
      "c", reversed, {"reversed(x: read f32[], tile: local f32[], y: write f32[]) group 4"}, "reversed"));
  const Kernel kernel = must(device.load(pack, "reversed"));
  Queue queue = must(device.create_queue());
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  Buffer x = must(device.allocate_for(numbers)), y = must(device.allocate_for(numbers));
  must(queue.submit(CommandList{}.upload(x, numbers).exec(kernel, Grid{2}, x, Local{4}, y)));
  EXPECT_EQ(must(read<float>(queue, y)), (std::vector<float>{4, 3, 2, 1, 8, 7, 6, 5}));
  // A recording keeps the size of its launch.
  const Recording recording = must(device.record(CommandList{}.exec(kernel, Grid{2}, y, Local{4}, x)));
  must(queue.replay(recording));
  EXPECT_EQ(must(read<float>(queue, x)), numbers);
}

TEST_F(CpuLocalSource, ItsTypeIsCompared) {
  CpuRig rig;
  const std::vector<Entry> wrong{
      must(Entry::parse("reversed(x: read f32[], tile: local u32[], y: write f32[]) group 4"))};
  const auto refused = rig.device->load({"r", "c", std::as_bytes(std::span(reversed)), wrong, {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr("uint32_t *"));
}

}  // namespace
}  // namespace pintle::test
