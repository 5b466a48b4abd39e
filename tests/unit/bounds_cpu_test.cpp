// The layer `bounds` over the cpu: guard pages around each binding.
#include <algorithm>
#include <numeric>

#include "base/guarded_region.h"
#include "bounds_support.h"

namespace pintle::test {
namespace {

class BoundsCpu : public testing::TestWithParam<const char*> {
 protected:
  BoundsRig rig{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Devices, BoundsCpu, testing::Values("bounds(cpu)", "bounds(cpu?inline)"),
                         [](const auto& info) { return info.index == 0 ? "Threads" : "Inline"; });

TEST_P(BoundsCpu, ReportsARowOfItsOwn) {
  EXPECT_EQ(rig.device.info().capability(Feature::bounds).support, Support::native);
  EXPECT_EQ(must(open("cpu")).info().capability(Feature::bounds).support, Support::absent);
}

TEST_P(BoundsCpu, AWriteOneElementBehindIsNamed) {
  const Buffer out = rig.buffer(Words(10, 7));
  const Error error = rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, out, 10, 1u));
  expect_step(error, {"\"put\"", "writes", "\"out\"", "offset (40)", "(40) bytes"});
  EXPECT_EQ(rig.read(out), Words(10, 7));
}

TEST_P(BoundsCpu, AWriteFarBehindIsNamed) {
  const Buffer out = rig.buffer(Words(10, 7));
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, out, 1010, 1u)), {"writes", "offset (4040)"});
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, out, 10'000'000, 1u)),
              {"writes", "offset (40000000)"});
}

TEST_P(BoundsCpu, AWriteBeforeTheBeginningIsNamed) {
  const Buffer out = rig.buffer(Words(10, 7));
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, out, -1, 1u)),
              {"writes (4) bytes before", "\"out\""});
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, out, -5000, 1u)),
              {"writes (20000) bytes before"});
}

TEST_P(BoundsCpu, AReadIsToldFromAWrite) {
  const Buffer in = rig.buffer(Words(10, 7)), out = rig.buffer(Words(1));
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("get"), Grid{}, in, out, 10)),
              {"\"get\"", "reads", "\"in\"", "offset (40)"});
  const Buffer page = rig.buffer(Words(1024, 7));  // whole pages: the byte before is on a guard page
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("get"), Grid{}, page, out, -1)), {"reads (4) bytes before"});
}

// Each result that is declared too small: the kernel reads and then writes each element.
TEST_P(BoundsCpu, AWriteIsNamedThoughAReadCameFirst) {
  const Buffer x = rig.buffer(Words(64, 1));
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("bump"), Grid::cover(128), x, 128u)),
              {"writes", "\"x\"", "offset (256)"});
  EXPECT_EQ(rig.read(x), Words(64, 2));  // what is inside is kept
}

TEST_P(BoundsCpu, NeighboursOfAViewStayAsTheyAre) {
  const Buffer whole = rig.buffer(Words(30, 7));
  const BufferView middle = must(whole.slice(10, 10));
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, middle, 10, 1u)), {"offset (40)"});
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("put"), Grid{}, middle, -1, 1u)), {"(4) bytes before"});
  EXPECT_EQ(rig.read(whole), Words(30, 7));
}

TEST_P(BoundsCpu, TheEighthByteOfSevenIsOutside) {
  const Kernel byte = must(rig.device.load(must(ProgramPack::source("c", R"(
void byte(const pintle_group* group, void* const* arguments) {
  ((uint8_t*)arguments[0])[*(const int32_t*)arguments[1]] = 9;
})",
                                                                    {"byte(out: write u8[], at: i32)"})),
                                           "byte"));
  const Buffer out = rig.buffer(Words(4, 0));
  const BufferView seven = must(must(out.view().as(DType::u8, {16})).slice(1, 7));
  must(rig.queue.submit_and_wait(CommandList{}.exec(byte, Grid{}, seven, 6)));
  EXPECT_EQ(rig.read(out)[1], 0x09000000u);
  expect_step(rig.failure(CommandList{}.exec(byte, Grid{}, seven, 7)), {"writes", "offset (7)", "(7) bytes"});
  EXPECT_EQ(rig.read(out)[2], 0u);
}

TEST_P(BoundsCpu, OneBufferBoundTwiceIsOneBuffer) {
  const Buffer both = rig.buffer({1, 2, 3, 4, 5, 6});
  const BufferView head = must(both.slice(0, 4)), tail = must(both.slice(2, 4));
  must(rig.queue.submit_and_wait(CommandList{}.exec(rig.kernel("get"), Grid{}, head, tail, 1)));
  EXPECT_EQ(rig.read(both), (Words{1, 2, 2, 4, 5, 6}));
  expect_step(rig.failure(CommandList{}.exec(rig.kernel("get"), Grid{}, tail, head, 4)),
              {"reads", "\"in\"", "offset (16)"});
}

TEST_P(BoundsCpu, WorkAfterAFailureIsRight) {
  const Buffer out = rig.buffer(Words(10, 7)), other = rig.buffer(Words(3, 4));
  const Kernel put = rig.kernel("put");
  rig.failure(CommandList{}.exec(put, Grid{}, out, 10, 1u));
  must(rig.queue.submit_and_wait(CommandList{}.exec(put, Grid{}, out, 9, 1u)));
  Words expected(10, 7);
  expected[9] = 1;
  EXPECT_EQ(rig.read(out), expected);
  EXPECT_EQ(rig.read(other), Words(3, 4));
}

TEST_P(BoundsCpu, TheQueueThatFailedSaysWhy) {
  const Buffer out = rig.buffer(Words(10, 7));
  const Kernel put = rig.kernel("put");
  Queue queue = must(rig.device.create_queue());
  const Point failed = must(queue.submit(CommandList{}.exec(put, Grid{}, out, 10, 1u)));
  const auto waited = failed.wait();
  ASSERT_FALSE(waited);
  expect_step(waited.error(), {"\"out\""});
  const auto later = queue.submit(CommandList{}.exec(put, Grid{}, out, 1, 1u));
  ASSERT_FALSE(later);
  expect_step(later.error(), {"\"out\""});
}

TEST_P(BoundsCpu, RecordingsAndManySubmissionsGiveTheSameBytes) {
  const Kernel bump = rig.kernel("bump");
  const Buffer x = rig.buffer(Words(100, 0)), y = rig.buffer(Words(100, 0));
  CommandList list;
  const Recording recording = must(rig.device.record(CommandList{}.exec(bump, Grid::cover(100), x, 100u)));
  Queue second = must(rig.device.create_queue());
  Point last, other;
  for (int i = 0; i < 50; ++i) {
    last = must(rig.queue.replay(recording));
    other = must(second.submit(CommandList{}.exec(bump, Grid::cover(100), y, 100u)));
  }
  must(last.wait());
  must(other.wait());
  EXPECT_EQ(rig.read(x), Words(100, 50));
  EXPECT_EQ(rig.read(y), Words(100, 50));
}

TEST(BoundsLayer, KnowsNoOptions) {
  const auto opened = open("bounds(cpu)?deep");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Errc::invalid_argument);
}

TEST(BoundsLayer, HasNothingToFindOnNull) {
  const Device device = must(open("bounds(null)"));
  EXPECT_EQ(device.info().capability(Feature::bounds).support, Support::absent);
}

TEST(GuardedRegion, IsAsNearToTheGuardAsTheAlignmentAllows) {
  for (const std::size_t size : {0u, 1u, 7u, 4095u, 4096u, 4097u}) {
    for (const std::size_t alignment : {1u, 4u, 64u, 4096u}) {
      const std::size_t remainder = alignment / 2;
      const auto region = must(base::GuardedRegion::create(size, alignment, remainder));
      const auto address = reinterpret_cast<std::uintptr_t>(region.bytes().data());
      EXPECT_EQ(address % alignment, remainder);
      const std::byte* const end = region.bytes().data() + size;
      EXPECT_LT(static_cast<std::size_t>(region.pages().data() + region.pages().size() - end), alignment);
      EXPECT_FALSE(region.touched());
    }
  }
}

TEST(GuardedRegion, NotesTheFirstTouchOfEachKind) {
  const auto region = must(base::GuardedRegion::create(8, 1, 0));
  volatile std::byte* const data = region.bytes().data();
  static_cast<void>(static_cast<std::byte>(data[20]));
  ASSERT_TRUE(region.touched());
  EXPECT_EQ(region.touched()->offset, 20);
  EXPECT_FALSE(region.touched()->is_write);
  data[30] = std::byte{1};
  data[12] = std::byte{1};
  EXPECT_EQ(region.touched()->offset, 30);
  EXPECT_TRUE(region.touched()->is_write);
}

TEST(GuardedRegion, AWriteBetweenTheRangeAndTheGuardIsNoticed) {
  const auto region = must(base::GuardedRegion::create(6, 4, 0));
  region.bytes().data()[7] = std::byte{1};
  ASSERT_TRUE(region.touched());
  EXPECT_EQ(region.touched()->offset, 7);
}

TEST(GuardedRegionDeathTest, AFaultElsewhereEndsTheProcess) {
  const auto region = must(base::GuardedRegion::create(8, 1, 0));
  const volatile std::uintptr_t nowhere = 16;  // gcc warns of an address that it knows
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(std::uintptr_t{nowhere}) = 1, "");
}

}  // namespace
}  // namespace pintle::test
