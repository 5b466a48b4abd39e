// What enqueued operations wait for, what waits for them, and what runs beside them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collective/group_queue_support.h"
#include "pintle/must.h"
#include "pintle/program.h"

namespace pintle::collective {
namespace {

using namespace std::chrono_literals;
using test::Member;
using test::Memory;

class GroupQueueOrder : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto absence = test::absence_of(GetParam()); !absence.empty()) GTEST_SKIP() << absence;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, GroupQueueOrder, testing::ValuesIn(test::device_ids()), test::name_of_device);

/// Buffers of one rank's step: made by the device, reduced, then used by the device.
struct Step {
  Buffer gradient;
  Buffer sum;
  Buffer used;
};

Step create_step(Member& member, std::uint64_t count) {
  const auto allocate = [&] { return must(member.device.allocate(DType::i32, {count})); };
  return {allocate(), allocate(), allocate()};
}

TEST_P(GroupQueueOrder, ComputeThenReduceThenComputeWithoutTheHost) {
  constexpr std::uint64_t count = (GroupQueue::chunk_bytes / 4) * 2 + 9;
  constexpr std::int32_t steps = 3;
  auto all = test::members(GetParam(), 2);
  std::vector<Step> memory;
  for (Member& member : all) memory.push_back(create_step(member, count));
  for (std::int32_t step = 1; step <= steps; ++step) {
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      auto& [device, queue, group, collectives] = all[static_cast<std::size_t>(rank)];
      Step& its = memory[static_cast<std::size_t>(rank)];
      // The device overwrites what the operation before has read.
      const Point made =
          must(queue.submit(CommandList{}.fill(its.gradient, step * 100 + rank), {.after = {collectives.last()}}));
      const Point reduced =
          must(collectives.submit(Collective::all_reduce(its.sum, its.gradient, ReduceOp::sum), {.after = {made}}));
      must(queue.submit(CommandList{}.copy(its.used, its.sum), {.after = {reduced}}));
    }
  }
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const std::vector<std::int32_t> wanted(count, 2 * steps * 100 + 1);
    EXPECT_TRUE(must(read<std::int32_t>(all[rank].queue, memory[rank].used, 20s)) == wanted) << rank;
  }
}

TEST_P(GroupQueueOrder, ComputeGoesOnBesideAnOperationThatWaits) {
  auto all = test::members(GetParam(), 2);
  const Signal slow = must(Signal::create());
  std::vector<Memory> memory;
  for (std::uint32_t rank = 0; rank < 2; ++rank) memory.push_back(Memory::create(all[rank], test::given(rank, 0, 100)));
  const Point waiting = must(all[0].collectives.submit(Collective::all_reduce(memory[0].in_place(), ReduceOp::sum),
                                                       {.after = {all[0].queue.last()}}));
  must(all[1].collectives.submit(Collective::all_reduce(memory[1].staged(), ReduceOp::sum),
                                 {.after = {all[1].queue.last(), slow.at(1)}}));

  Memory other = Memory::create(all[0], 8);
  for (std::int32_t i = 0; i < 20; ++i) must(all[0].queue.submit(CommandList{}.fill(other.part(0, 8), i)));
  EXPECT_EQ(other.values(all[0]), std::vector<std::int32_t>(8, 19));  // the device has done all of it
  EXPECT_FALSE(must(waiting.is_reached()));

  must(Signal(slow).set(1));
  must(waiting.wait(20s));
  EXPECT_EQ(memory[0].values(all[0]), test::sums(2, 0, 100));
}

TEST_P(GroupQueueOrder, SignalsAreRaisedWithTheResult) {
  auto all = test::members(GetParam(), 2);
  const Signal done = must(Signal::create());
  Memory memory[] = {Memory::create(all[0], test::given(0, 0, 100)), Memory::create(all[1], test::given(1, 0, 100))};
  const Point reduced = must(all[0].collectives.submit(Collective::all_reduce(memory[0].in_place(), ReduceOp::sum),
                                                       {.after = {all[0].queue.last()}, .signal = {done.at(3)}}));
  EXPECT_EQ(done.value(), 0u);
  must(all[1].collectives.submit(Collective::all_reduce(memory[1].staged(), ReduceOp::sum),
                                 {.after = {all[1].queue.last()}}));
  must(done.wait(3, 20s));
  must(reduced.wait(20s));
  EXPECT_EQ(memory[0].values(all[0]), test::sums(2, 0, 100));
}

TEST_P(GroupQueueOrder, SignalsFailWithTheOperationAndThoseBehindIt) {
  auto all = test::members(GetParam(), 2);
  const Signal gate = must(Signal::create()), first = must(Signal::create()), second = must(Signal::create());
  Memory memory = Memory::create(all[0], 10);
  must(all[0].collectives.submit(Collective::all_reduce(memory.in_place(), ReduceOp::sum),
                                 {.after = {gate.at(1)}, .signal = {first.at(1)}}));
  must(all[0].collectives.submit(Collective::barrier(), {.signal = {second.at(1)}}));
  must(Signal(gate).fail(Error(Errc::io, "The tide is out.")));
  EXPECT_EQ(first.wait(1, 20s).error().code(), Errc::io);
  EXPECT_EQ(second.wait(1, 20s).error().code(), Errc::io);
}

TEST_P(GroupQueueOrder, PointsRiseOneByOne) {
  auto all = test::members(GetParam(), 2);
  const Signal gate = must(Signal::create());
  Memory memory[] = {Memory::create(all[0], 10), Memory::create(all[1], 10)};
  EXPECT_TRUE(must(all[0].collectives.last().is_reached()));
  std::vector<Point> points;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    // The third of them waits: what is behind it does, too.
    SubmitOptions options{.after = {all[0].queue.last(), gate.at(i == 3 ? 1 : 0)}};
    points.push_back(must(
        all[0].collectives.submit(Collective::all_reduce(memory[0].in_place(), ReduceOp::max), std::move(options))));
    must(all[1].collectives.submit(Collective::all_reduce(memory[1].staged(), ReduceOp::max),
                                   {.after = {all[1].queue.last()}}));
    EXPECT_EQ(points.back().value(), i);
  }
  must(points[1].wait(20s));
  EXPECT_EQ(all[0].collectives.last().signal().value(), 2u);
  EXPECT_FALSE(must(points[3].is_reached()));
  must(Signal(gate).set(1));
  must(points[3].wait(20s));
  EXPECT_EQ(all[0].collectives.last().value(), 4u);
}

TEST_P(GroupQueueOrder, MoreOperationsThanRoom) {
  auto all = test::members(GetParam(), 2);
  constexpr std::uint32_t operations = 60;
  Memory memory[] = {Memory::create(all[0], std::vector<std::int32_t>(33, 1)),
                     Memory::create(all[1], std::vector<std::int32_t>(33, 0))};
  for (std::uint32_t i = 0; i < operations; ++i) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      const DeviceElements elements = i % 3 == 0 ? memory[rank].staged() : memory[rank].in_place();
      must(all[rank].collectives.submit(Collective::broadcast(elements, i % 2), {.after = {all[rank].queue.last()}}));
    }
  }
  for (Member& member : all) must(member.collectives.last().wait(30s));
  EXPECT_EQ(memory[1].values(all[1]), std::vector<std::int32_t>(33, 1));
}

TEST(GroupQueueKernels, AKernelMakesAndAKernelUses) {
  constexpr std::string_view code = R"(
void add(const pintle_group* group, void* const* arguments) {
  int32_t* values = arguments[0];
  const int32_t more = *(const int32_t*)arguments[1];
  for (uint32_t i = 0; i < group->size[0]; ++i) values[group->id[0] * group->size[0] + i] += more;
})";
  auto all = test::members("cpu", 2);
  const auto pack = must(ProgramPack::source("c", code, {"add(values: read_write i32[], more: i32) group 64"}));
  std::vector<Buffer> buffers;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    Member& member = all[static_cast<std::size_t>(rank)];
    const Kernel add = must(member.device.load(pack, "add"));
    Buffer& values = buffers.emplace_back(must(member.device.allocate(DType::i32, {640})));
    const Point made = must(
        member.queue.submit(CommandList{}.fill(values, std::int32_t{1}).exec(add, Grid::cover(640), values, rank)));
    const Point reduced =
        must(member.collectives.submit(Collective::all_reduce(values, ReduceOp::sum), {.after = {made}}));
    must(member.queue.submit(CommandList{}.exec(add, Grid::cover(640), values, 10), {.after = {reduced}}));
  }
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(must(read<std::int32_t>(all[rank].queue, buffers[rank], 20s)), std::vector<std::int32_t>(640, 13));
  }
}

TEST(GroupQueueNames, TextHasTheLabelAndTheGroup) {
  auto groups = must(Group::threads(1, {.label = "workers"}));
  const GroupQueue queue = must(GroupQueue::create(groups[0], must(open("cpu")), {.label = "gradients"}));
  EXPECT_EQ(queue.text(), "[GroupQueue \"gradients\"] of " + groups[0].text());
  EXPECT_EQ(GroupQueue().text(), "[GroupQueue]");
}

TEST(GroupQueueLifetime, TheGroupIsFreeAgainAfterwards) {
  auto groups = must(Group::threads(1));
  std::vector<std::int32_t> values{1, 2};
  for (int i = 0; i < 3; ++i) {
    GroupQueue queue = must(GroupQueue::create(groups[0], must(open("cpu"))));
    must(must(queue.submit(Collective::barrier())).wait(20s));
    queue = {};
    must(groups[0].run(Collective::all_reduce(values, ReduceOp::sum)));
  }
  EXPECT_EQ(values, (std::vector<std::int32_t>{1, 2}));
}

TEST(GroupQueueLifetime, PointsOutliveTheQueue) {
  auto all = test::members("cpu", 1);
  Memory memory = Memory::create(all[0], test::given(0, 0, 5));
  const Point done = must(all[0].collectives.submit(Collective::all_reduce(memory.in_place(), ReduceOp::sum),
                                                    {.after = {all[0].queue.last()}}));
  must(done.wait(20s));
  GroupQueue moved = std::move(all[0].collectives);
  moved = {};
  EXPECT_TRUE(must(done.is_reached()));
  EXPECT_EQ(memory.values(all[0]), test::given(0, 0, 5));
}

}  // namespace
}  // namespace pintle::collective
