// What enqueued operations refuse, how they fail, and which callers hear of it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "collective/group_queue_support.h"

namespace pintle::collective {
namespace {

using namespace std::chrono_literals;
using test::Member;
using test::Memory;
using testing::TestWithParam;

/// The error of a wait that is to fail.
Error failure(const Point& point) {
  const auto waited = point.wait(20s);
  if (waited) return {Errc::internal, "The point is reached."};
  return waited.error();
}

bool has(const Error& error, std::string_view text) { return error.text().find(text) != std::string::npos; }

/// Two ranks on the cpu, and memory to misuse.
class GroupQueueMisuse : public testing::Test {
 protected:
  void expect_refused(const Result<Point>& answer, std::string_view text) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), Errc::invalid_argument) << answer.error().text();
    EXPECT_TRUE(has(answer.error(), text)) << answer.error().text();
  }
  void TearDown() override {
    for (Member& member : all_)
      must(member.collectives.submit(Collective::barrier()));  // nothing was enqueued, and nothing has failed
    for (Member& member : all_) must(member.collectives.last().wait(20s));
    EXPECT_EQ(queue_.last().value(), 1u);
  }
  Buffer allocate(DType dtype, std::uint64_t count) { return must(all_[0].device.allocate(dtype, {count})); }

  std::vector<Member> all_ = test::members("cpu", 2);
  GroupQueue& queue_ = all_[0].collectives;
  Buffer ints_ = allocate(DType::i32, 12);
  Buffer more_ints_ = allocate(DType::i32, 12);
  Buffer floats_ = allocate(DType::f32, 12);
};

TEST_F(GroupQueueMisuse, DtypesThatDiffer) {
  expect_refused(queue_.submit(Collective::all_reduce(ints_, floats_, ReduceOp::sum)), "Dtype (i32)");
  expect_refused(queue_.submit(Collective::all_gather(ints_, must(floats_.slice(0, 6)))), "Dtype (i32)");
}

TEST_F(GroupQueueMisuse, SizesThatDoNotFit) {
  expect_refused(queue_.submit(Collective::all_reduce(ints_, must(more_ints_.slice(0, 11)), ReduceOp::sum)), "(48)");
  expect_refused(queue_.submit(Collective::all_gather(ints_, must(more_ints_.slice(0, 5)))), "(48)");
  expect_refused(
      queue_.submit(Collective::reduce_scatter(must(ints_.slice(0, 6)), must(more_ints_.slice(0, 11)), ReduceOp::sum)),
      "(44)");
  expect_refused(queue_.submit(Collective::all_to_all(must(ints_.slice(0, 5)), must(more_ints_.slice(0, 5)))), "(20)");
}

TEST_F(GroupQueueMisuse, RanksThatAreNone) {
  expect_refused(queue_.submit(Collective::broadcast(ints_, 2)), "Rank (2)");
  expect_refused(queue_.submit(Collective::reduce(ints_, more_ints_, ReduceOp::sum, 7)), "Rank (7)");
  expect_refused(queue_.submit(Collective::send(ints_, 0)), "Rank (0)");
  expect_refused(queue_.submit(Collective::recv(ints_, 2)), "Rank (2)");
}

TEST_F(GroupQueueMisuse, OperatorsWithoutAMeaning) {
  expect_refused(queue_.submit(Collective::all_reduce(floats_, ReduceOp::bit_and)), "bit_and");
}

TEST_F(GroupQueueMisuse, MemoryOfAnotherDevice) {
  const Device other = must(open("cpu?inline"));
  Buffer foreign = must(other.allocate(DType::i32, {12}));
  expect_refused(queue_.submit(Collective::all_reduce(ints_, foreign.view(), ReduceOp::sum)), "belongs to");
  expect_refused(queue_.submit(Collective::all_reduce(foreign, ints_, ReduceOp::sum)), "belongs to");
}

TEST_F(GroupQueueMisuse, WindowsThatOverlap) {
  const auto first = must(ints_.slice(0, 8)), second = must(ints_.slice(4, 8));
  expect_refused(queue_.submit(Collective::all_reduce(first, second, ReduceOp::sum)), "overlaps");
  expect_refused(
      queue_.submit(Collective::all_reduce(DeviceElements(ints_, 4, 8), DeviceElements(ints_, 0, 8), ReduceOp::sum)),
      "overlaps");
  expect_refused(queue_.submit(Collective::all_gather(ints_, must(ints_.slice(6, 6)))),
                 "overlaps");  // the part of the other rank
  expect_refused(queue_.submit(Collective::all_to_all(ints_, ints_)), "overlaps");
}

TEST_F(GroupQueueMisuse, WindowsBeyondTheBuffer) {
  expect_refused(queue_.submit(Collective::all_reduce(DeviceElements(ints_, 10, 3), ReduceOp::sum)), "beyond");
  expect_refused(queue_.submit(Collective::all_reduce(DeviceElements(ints_, ~0ull, 2), ReduceOp::sum)), "beyond");
}

TEST_F(GroupQueueMisuse, ObjectsThatAreEmpty) {
  expect_refused(queue_.submit(Collective::all_reduce(BufferView(), ReduceOp::sum)), "BufferView");
  expect_refused(queue_.submit(Collective::barrier(), {.after = {Point()}}), "Point");
  Buffer gone = std::move(floats_);
  expect_refused(queue_.submit(Collective::all_reduce(floats_, ReduceOp::sum)),
                 "BufferView");  // NOLINT(bugprone-use-after-move)
  expect_refused(GroupQueue().submit(Collective::barrier()), "GroupQueue is empty");
}

TEST_F(GroupQueueMisuse, MemoryOfTheHostIsForTheGroup) {
  std::vector<std::int32_t> values(12);
  expect_refused(queue_.submit(Collective::all_reduce(values, ReduceOp::sum)), "memory of the host");
  expect_refused(queue_.submit(Collective::send(values, 1)), "memory of the host");
  expect_refused(queue_.submit({.kind = Collective::Kind(77)}), "(77)");
}

TEST_F(GroupQueueMisuse, SealedMemoryIsReadOnly) {
  must(ints_.seal());
  expect_refused(queue_.submit(Collective::all_reduce(ints_, ReduceOp::sum)), "sealed");
}

TEST(GroupQueueCreate, NeedsAGroupAndADevice) {
  auto groups = must(Group::threads(1));
  EXPECT_EQ(GroupQueue::create(Group(), must(open("cpu"))).error().code(), Errc::invalid_argument);
  EXPECT_EQ(GroupQueue::create(groups[0], Device()).error().code(), Errc::invalid_argument);
}

class GroupQueueFailure : public TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto absence = test::absence_of(GetParam()); !absence.empty()) GTEST_SKIP() << absence;
    all_ = test::members(GetParam(), 2);
    for (std::uint32_t rank = 0; rank < 2; ++rank)
      memory_.push_back(Memory::create(all_[rank], test::given(rank, 0, 40)));
  }
  Result<Point> all_reduce(std::uint32_t rank, SubmitOptions options = {}) {
    options.after.push_back(all_[rank].queue.last());
    return all_[rank].collectives.submit(Collective::all_reduce(memory_[rank].in_place(), ReduceOp::sum),
                                         std::move(options));
  }
  /// The device goes on for others.
  void expect_healthy(std::uint32_t rank) {
    Memory other = Memory::create(all_[rank], test::given(0, 0, 9));
    EXPECT_EQ(other.values(all_[rank]), test::given(0, 0, 9));
  }

  std::vector<Member> all_;
  std::vector<Memory> memory_;
};

INSTANTIATE_TEST_SUITE_P(Devices, GroupQueueFailure, testing::ValuesIn(test::device_ids()), test::name_of_device);

TEST_P(GroupQueueFailure, AWaitThatFailsIsTheCause) {
  Signal broken = must(Signal::create());
  const Point first = must(all_reduce(0, {.after = {broken.at(1)}})), second = must(all_reduce(0));
  const Point other = must(all_reduce(1));
  must(broken.fail(Error(Errc::io, "The disk is full.")));
  EXPECT_EQ(failure(first).code(), Errc::io);
  EXPECT_TRUE(has(failure(first), "The disk is full.")) << failure(first).text();
  EXPECT_TRUE(failure(second).same_origin(failure(first)));
  const auto later = all_reduce(0);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code(), Errc::io);
  EXPECT_EQ(failure(other).code(), Errc::peer_lost);
  EXPECT_TRUE(has(failure(other), "Rank (0)") && has(failure(other), "The disk is full.")) << failure(other).text();
  expect_healthy(0);
  expect_healthy(1);
}

TEST_P(GroupQueueFailure, AWaitThatNeverComesTimesOut) {
  const Signal never = must(Signal::create(0, "never"));
  const Point point = must(all_reduce(0, {.after = {never.at(1)}, .timeout = 50ms}));
  const Error error = failure(point);
  EXPECT_EQ(error.code(), Errc::timeout);
  EXPECT_TRUE(has(error, "never") && has(error, "all_reduce 1")) << error.text();
}

TEST_P(GroupQueueFailure, ARankThatNeverComesIsNamed) {
  const Point point = must(all_reduce(0, {.label = "gradients", .timeout = 200ms}));
  expect_healthy(0);
  const Error error = failure(point);
  EXPECT_EQ(error.code(), Errc::timeout);
  EXPECT_TRUE(has(error, "ank (1)") || has(error, "ank 1")) << error.text();
  EXPECT_TRUE(has(error, "gradients")) << error.text();
  expect_healthy(0);
  // It may still find what the first rank had sent, but gets no further.
  static_cast<void>(all_reduce(1));
  const auto after = all_[1].collectives.submit(Collective::barrier());
  EXPECT_EQ((after ? failure(*after) : after.error()).code(), Errc::timeout);
}

TEST_P(GroupQueueFailure, CallsThatDoNotMatchAreReportedWithBothSides) {
  const Point one = must(all_reduce(0));
  const Point two = must(all_[1].collectives.submit(Collective::all_reduce(memory_[1].part(0, 39), ReduceOp::sum),
                                                    {.after = {all_[1].queue.last()}}));
  for (const Point& point : {one, two}) {
    const Error error = failure(point);
    EXPECT_EQ(error.code(), Errc::invalid_argument) << error.text();
    EXPECT_TRUE(has(error, "40 elements") && has(error, "39 elements")) << error.text();
  }
}

TEST_P(GroupQueueFailure, NumbersOfChunksThatDifferAreFoundBeforeAnythingMoves) {
  constexpr std::uint64_t chunk = GroupQueue::chunk_bytes / 4;
  Memory large[] = {Memory::create(all_[0], 2 * chunk), Memory::create(all_[1], 3 * chunk)};
  std::vector<Point> points;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    points.push_back(must(all_[rank].collectives.submit(Collective::all_reduce(large[rank].in_place(), ReduceOp::sum),
                                                        {.after = {all_[rank].queue.last()}})));
  }
  for (const Point& point : points) {
    const Error error = failure(point);
    EXPECT_EQ(error.code(), Errc::invalid_argument) << error.text();
    EXPECT_TRUE(has(error, "(2097152)") && has(error, "(3145728)")) << error.text();
  }
  EXPECT_EQ(large[0].values(all_[0]), std::vector<std::int32_t>(2 * chunk, Memory::untouched));
}

TEST_P(GroupQueueFailure, AMessageOfAnotherSizeIsFoundByBoth) {
  constexpr std::uint64_t chunk = GroupQueue::chunk_bytes / 4;
  Memory large[] = {Memory::create(all_[0], 12 * chunk), Memory::create(all_[1], 13 * chunk)};
  const Point sent =
      must(all_[0].collectives.submit(Collective::send(large[0].staged(), 1), {.after = {all_[0].queue.last()}}));
  const Point received =
      must(all_[1].collectives.submit(Collective::recv(large[1].staged(), 0), {.after = {all_[1].queue.last()}}));
  EXPECT_EQ(failure(received).code(), Errc::invalid_argument);
  EXPECT_TRUE(has(failure(received), "(12582912)") && has(failure(received), "(13631488)"));
  EXPECT_NE(failure(sent).code(), Errc::internal) << failure(sent).text();
}

TEST_P(GroupQueueFailure, WhatHasNotBegunIsCancelledWithTheQueue) {
  const Signal never = must(Signal::create());
  const Point first = must(all_reduce(0, {.after = {never.at(1)}})), second = must(all_reduce(0));
  const Point other = must(all_reduce(1));
  all_[0].collectives = {};
  EXPECT_EQ(failure(first).code(), Errc::cancelled);
  EXPECT_EQ(failure(second).code(), Errc::cancelled);
  EXPECT_EQ(failure(other).code(), Errc::peer_lost);
  EXPECT_EQ(all_[0].group.health().error().code(), Errc::peer_lost);
  expect_healthy(0);
}

TEST_P(GroupQueueFailure, ARankThatLeavesIsLost) {
  const Point point = must(all_reduce(0));
  all_.pop_back();
  EXPECT_EQ(failure(point).code(), Errc::peer_lost);
}

TEST_P(GroupQueueFailure, BuffersMayGoWhileUsedInPlace) {
  Buffer buffer = must(all_[0].device.allocate(DType::i32, {40}, {.placement = Placement::host}));
  if (const auto mapped = buffer.map(); !mapped) {
    ASSERT_EQ(mapped.error().code(), Errc::unsupported) << mapped.error().text();
    GTEST_SKIP() << "the host cannot map memory of " << GetParam();
  }
  const Point filled = must(all_[0].queue.submit(CommandList{}.fill(buffer, std::int32_t{5})));
  const Signal gate = must(Signal::create());
  const Point first =
      must(all_[0].collectives.submit(Collective::broadcast(buffer, 0), {.after = {filled, gate.at(1)}}));
  const Point second = must(
      all_[1].collectives.submit(Collective::broadcast(memory_[1].staged(), 0), {.after = {all_[1].queue.last()}}));
  buffer = {};
  Buffer next = must(all_[0].device.allocate(DType::i32, {40}, {.placement = Placement::host}));
  must(all_[0].queue.submit_and_wait(CommandList{}.fill(next, std::int32_t{6})));  // the same memory, were it free
  must(Signal(gate).set(1));
  must(first.wait(20s));
  must(second.wait(20s));
  EXPECT_EQ(memory_[1].values(all_[1]), std::vector<std::int32_t>(40, 5));
}

TEST_P(GroupQueueFailure, BuffersThatGoWhileStagedAreStale) {
  const Signal gate = must(Signal::create());
  Buffer buffer = must(all_[0].device.allocate(DType::i32, {40}));
  const Point first =
      must(all_[0].collectives.submit(Collective::all_reduce(buffer.view(), ReduceOp::sum), {.after = {gate.at(1)}}));
  const Point second = must(all_reduce(1));
  buffer = {};
  must(Signal(gate).set(1));
  EXPECT_EQ(failure(first).code(), Errc::stale);
  EXPECT_EQ(failure(second).code(), Errc::peer_lost);
  expect_healthy(0);
}

/// Whatever submission of the first rank's device fails: of the staging queue, or what holds memory used in place.
void fail_submission(int ordinal, std::string_view code, bool is_staged) {
  SCOPED_TRACE(testing::Message() << "submission " << ordinal << " answers " << code << ", staged " << is_staged);
  const std::string broken =
      "faulty(cpu)?call=submit&ordinal=" + std::to_string(ordinal) + "&code=" + std::string(code);
  auto all = must(test::members({broken, "cpu"}));
  const std::uint64_t count = GroupQueue::chunk_bytes / 4 * 2 + 1;
  Memory memory[] = {Memory::create(all[0], count), Memory::create(all[1], count)};
  std::vector<Point> points;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const DeviceElements elements = is_staged ? memory[rank].staged() : memory[rank].in_place();
    points.push_back(must(all[rank].collectives.submit(Collective::all_reduce(elements, ReduceOp::sum),
                                                       {.after = {all[rank].queue.last()}})));
  }
  EXPECT_EQ(name(failure(points[0]).code()), code) << failure(points[0]).text();
  // The ranks may have been done with each other when the device failed.
  const auto after = all[1].collectives.submit(Collective::barrier());
  EXPECT_EQ((after ? failure(*after) : after.error()).code(), Errc::peer_lost);
}

TEST(GroupQueueDevices, ADeviceThatFailsFailsThePointAndIsNamed) {
  // The first submission uploads; then come three chunks to the host and back.
  for (int ordinal = 2; ordinal <= 7; ++ordinal) {
    for (const std::string_view code : {"device_lost", "out_of_memory"}) fail_submission(ordinal, code, true);
  }
  for (const std::string_view code : {"device_lost", "out_of_memory"}) fail_submission(2, code, false);
}

/// Two ranks, of which the first's device is lost by the next submission.
class GroupQueueLoss : public testing::Test {
 protected:
  void lose() {
    const auto submitted = all_[0].queue.submit(CommandList{});
    ASSERT_FALSE(submitted && submitted->wait(20s));
    ASSERT_EQ(all_[0].device.health().error().code(), Errc::device_lost);
  }
  /// What becomes of a point of each rank.
  void expect_lost(const Result<Point>& own, const Result<Point>& other, Errc code = Errc::device_lost) {
    ASSERT_TRUE(own) << own.error().text();
    EXPECT_EQ(failure(*own).code(), code) << failure(*own).text();
    const Error told = other ? failure(*other) : other.error();
    EXPECT_EQ(told.code(), Errc::peer_lost) << told.text();
    EXPECT_TRUE(has(told, "Rank (0) has given up")) << told.text();
  }

  std::vector<Member> all_ = must(test::members({"faulty(cpu)?call=submit&ordinal=1&code=device_lost", "cpu"}));
  GroupQueue& own_ = all_[0].collectives;
  GroupQueue& other_ = all_[1].collectives;
};

TEST_F(GroupQueueLoss, BarriersFailWithTheDevice) {
  lose();
  expect_lost(own_.submit(Collective::barrier()), other_.submit(Collective::barrier()));
  const auto later = own_.submit(Collective::barrier());
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code(), Errc::device_lost);
}

TEST_F(GroupQueueLoss, WhatWaitsForOtherRanksFailsWithTheDevice) {
  const auto waits = own_.submit(Collective::barrier(), {.timeout = 60s});
  lose();
  const Error error = failure(must(waits));
  EXPECT_EQ(error.code(), Errc::device_lost) << error.text();
  static_cast<void>(
      other_.submit(Collective::barrier()));  // it may find what the first rank had sent, but gets no further
  expect_lost(waits, other_.submit(Collective::barrier()));
}

TEST_F(GroupQueueLoss, OperationsOnItsMemoryFailTheQueueToo) {
  Buffer buffer = must(all_[0].device.allocate(DType::i32, {12}));
  Memory memory = Memory::create(all_[1], 12);
  lose();
  expect_lost(own_.submit(Collective::all_reduce(buffer, ReduceOp::sum)),
              other_.submit(Collective::all_reduce(memory.in_place(), ReduceOp::sum)));
}

TEST_F(GroupQueueLoss, AQueueOfAnEarlierGenerationIsStale) {
  lose();
  must(all_[0].device.recover());
  expect_lost(own_.submit(Collective::barrier()), other_.submit(Collective::barrier()), Errc::stale);
}

TEST(GroupQueueDevices, ADeviceThatFailsAtOnceMakesNoQueue) {
  auto groups = must(Group::threads(1));
  const auto queue = GroupQueue::create(groups[0], must(open("faulty(cpu)?call=create_queue&code=out_of_memory")));
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().code(), Errc::out_of_memory);
}

}  // namespace
}  // namespace pintle::collective
