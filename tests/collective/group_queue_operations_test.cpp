// Every operation on memory of every device, in place and staged, against what it is to give.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collective/group/parts.h"
#include "collective/group_queue_support.h"

namespace pintle::collective {
namespace {

using namespace std::chrono_literals;
using test::Member;
using test::Memory;

constexpr Operation operations[] = {Operation::all_reduce, Operation::reduce,    Operation::reduce_scatter,
                                    Operation::all_gather, Operation::gather,    Operation::scatter,
                                    Operation::broadcast,  Operation::all_to_all};

enum class Way { in_place, staged, mixed };

struct RankMemory {
  Memory to;
  Memory from;
  std::uint64_t written = 0;  // elements
};

/// By rank: some ranks stage and some do not, where the way is mixed.
DeviceElements elements(Memory& memory, Way way, std::size_t rank) {
  const bool is_in_place = way == Way::in_place || (way == Way::mixed && rank % 2 == 0);
  return is_in_place ? memory.in_place() : memory.staged();
}

RankMemory memory_for(Member& member, Operation operation, std::uint32_t rank, std::uint32_t ranks, std::uint32_t root,
                      std::uint64_t count) {
  const PartCounts parts = parts_of(operation, rank, ranks, root);
  return {Memory::create(member, parts.to * count), Memory::create(member, test::given(rank, 0, parts.from * count)),
          parts.to * count};
}

/// Runs one operation on all ranks, all enqueued by this thread, and compares.
void check(std::vector<Member>& all, Operation operation, std::uint64_t count, Way way, std::uint32_t root) {
  SCOPED_TRACE(testing::Message() << name(operation) << " of " << count << ", way " << static_cast<int>(way));
  const auto ranks = static_cast<std::uint32_t>(all.size());
  std::vector<RankMemory> memory;
  std::vector<Point> points;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    memory.push_back(memory_for(all[rank], operation, rank, ranks, root, count));
    const auto to = elements(memory[rank].to, way, rank), from = elements(memory[rank].from, way, rank);
    points.push_back(must(test::enqueue(all[rank].collectives, operation, to, from, root, rank == root,
                                        {.after = {all[rank].queue.last()}, .timeout = 20s})));
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    must(points[rank].wait(30s));
    const auto wanted =
        memory[rank].written == 0 ? std::vector<std::int32_t>() : test::expected(operation, rank, ranks, root, count);
    ASSERT_TRUE(memory[rank].to.values(all[rank]) == wanted) << "rank " << rank;
  }
}

/// Elements of a part that is exactly one chunk.
std::uint64_t chunk_elements(Operation operation, std::uint32_t ranks) {
  return Cut(operation, ~std::uint64_t{0}, ranks, GroupQueue::chunk_bytes).at(0).size / sizeof(std::int32_t);
}

class GroupQueueOperations : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto absence = test::absence_of(GetParam()); !absence.empty()) GTEST_SKIP() << absence;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, GroupQueueOperations, testing::ValuesIn(test::device_ids()), test::name_of_device);

TEST_P(GroupQueueOperations, SmallSizes) {
  auto all = test::members(GetParam(), 3);
  for (const Operation operation : operations) {
    for (const std::uint64_t count : {0u, 1u, 7u}) {
      for (const Way way : {Way::in_place, Way::staged, Way::mixed}) check(all, operation, count, way, 1);
    }
  }
}

TEST_P(GroupQueueOperations, AroundOneChunk) {
  auto all = test::members(GetParam(), 2);
  for (const Operation operation : operations) {
    const std::uint64_t chunk = chunk_elements(operation, 2);
    for (const std::uint64_t count : {chunk - 1, chunk, chunk + 1}) check(all, operation, count, Way::mixed, 0);
  }
}

TEST_P(GroupQueueOperations, SeveralChunks) {
  auto all = test::members(GetParam(), 2);
  for (const Operation operation : operations) {
    const std::uint64_t count = chunk_elements(operation, 2) * 7 / 2 + 3;
    check(all, operation, count, Way::in_place, 1);
    check(all, operation, count, Way::staged, 1);
  }
}

TEST_P(GroupQueueOperations, AloneInAGroup) {
  auto all = test::members(GetParam(), 1);
  for (const Operation operation : operations) check(all, operation, 5, Way::mixed, 0);
}

TEST_P(GroupQueueOperations, SendAndReceive) {
  auto all = test::members(GetParam(), 2);
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{9}, chunk_elements(Operation::send_recv, 2) + 1}) {
    Memory from = Memory::create(all[0], test::given(0, 0, count)), to = Memory::create(all[1], count);
    const Point sent =
        must(all[0].collectives.submit(Collective::send(from.in_place(), 1), {.after = {all[0].queue.last()}}));
    const Point received =
        must(all[1].collectives.submit(Collective::recv(to.staged(), 0), {.after = {all[1].queue.last()}}));
    must(received.wait(20s));
    must(sent.wait(20s));
    ASSERT_TRUE(to.values(all[1]) == test::given(0, 0, count)) << count;
  }
}

TEST_P(GroupQueueOperations, InOnePlace) {
  auto all = test::members(GetParam(), 2);
  for (const std::uint64_t count : {std::uint64_t{5}, chunk_elements(Operation::all_reduce, 2) * 2 + 1}) {
    for (const Way way : {Way::in_place, Way::staged}) {
      std::vector<Memory> memory;
      for (std::uint32_t rank = 0; rank < 2; ++rank) {
        memory.push_back(Memory::create(all[rank], test::given(rank, 0, count)));
        must(all[rank].collectives.submit(Collective::all_reduce(elements(memory[rank], way, rank), ReduceOp::sum),
                                          {.after = {all[rank].queue.last()}}));
      }
      for (std::uint32_t rank = 0; rank < 2; ++rank) {
        must(all[rank].collectives.last().wait(20s));
        ASSERT_TRUE(memory[rank].values(all[rank]) == test::sums(2, 0, count)) << count;
      }
    }
  }
}

TEST_P(GroupQueueOperations, TheOwnPartInItsPlace) {
  auto all = test::members(GetParam(), 2);
  for (const std::uint64_t count : {std::uint64_t{5}, chunk_elements(Operation::all_gather, 2) * 2 + 1}) {
    std::vector<Memory> memory;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      auto values = std::vector<std::int32_t>(2 * count, 0);
      std::ranges::copy(test::given(rank, 0, count), values.begin() + static_cast<std::ptrdiff_t>(rank * count));
      memory.push_back(Memory::create(all[rank], values));
      DeviceElements own(memory[rank].buffer, Memory::before + rank * count, count);
      must(all[rank].collectives.submit(Collective::all_gather(memory[rank].in_place(), own),
                                        {.after = {all[rank].queue.last()}}));
      must(all[rank].collectives.submit(Collective::reduce_scatter(own, memory[rank].in_place(), ReduceOp::sum)));
    }
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      must(all[rank].collectives.last().wait(20s));
      const auto values = memory[rank].values(all[rank]);
      auto wanted = test::expected(Operation::all_gather, rank, 2, 0, count);
      for (std::uint64_t i = 0; i < count; ++i) wanted[rank * count + i] *= 2;
      ASSERT_TRUE(values == wanted) << count;
    }
  }
}

TEST_P(GroupQueueOperations, BarrierIsReachedByAllOrNobody) {
  auto all = test::members(GetParam(), 2);
  const Signal late = must(Signal::create());
  const Point first = must(all[0].collectives.submit(Collective::barrier()));
  const Point second = must(all[1].collectives.submit(Collective::barrier(), {.after = {late.at(1)}}));
  EXPECT_FALSE(must(first.is_reached()));
  must(Signal(late).set(1));
  must(first.wait(20s));
  must(second.wait(20s));
}

TEST(GroupQueueDtypes, OptionsAndOperatorsPassThrough) {
  auto all = test::members("cpu", 2);
  const std::vector<double> values[] = {{1, -8, 3}, {2, 4, 3}};
  std::vector<Buffer> buffers;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    buffers.push_back(must(all[rank].device.allocate_for(values[rank])));
    must(all[rank].queue.submit(CommandList{}.upload(buffers[rank], values[rank])));
    must(all[rank].collectives.submit(
        Collective::all_reduce(buffers[rank], ReduceOp::mean).with(Algorithm::direct).reproducible(),
        {.after = {all[rank].queue.last()}}));
  }
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    must(all[rank].collectives.last().wait(20s));
    EXPECT_EQ(must(read<double>(all[rank].queue, buffers[rank])), (std::vector<double>{1.5, -2, 3}));
  }
}

TEST(GroupQueueDtypes, BytesOfOddSizes) {
  auto all = test::members("cpu", 2);
  const std::vector<std::uint8_t> values[] = {{1, 2, 3}, {10, 20, 30}};
  std::vector<Buffer> buffers;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    buffers.push_back(must(all[rank].device.allocate_for(values[rank])));
    must(all[rank].queue.submit(CommandList{}.upload(buffers[rank], values[rank])));
    must(all[rank].collectives.submit(Collective::all_reduce(buffers[rank].view(), ReduceOp::max),
                                      {.after = {all[rank].queue.last()}}));
  }
  must(all[1].collectives.last().wait(20s));
  EXPECT_EQ(must(read<std::uint8_t>(all[1].queue, buffers[1])), values[1]);
}

/// Every device that is here in one group: all five, where they are.
TEST(GroupQueueMixed, DevicesOfEveryKind) {
  std::vector<std::string> here;
  for (const std::string id : {"cpu", "vulkan:swiftshader", "vulkan:llvmpipe", "opencl:pocl", "opencl:rusticl"}) {
    if (test::absence_of(id).empty()) here.push_back(id);
  }
  if (here.size() < 2) GTEST_SKIP() << "only the cpu is here";
  RecordProperty("devices", static_cast<int>(here.size()));
  auto all = must(test::members(here));
  const auto ranks = static_cast<std::uint32_t>(here.size());
  for (const Operation operation : operations) {
    for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1001}, chunk_elements(operation, ranks) + 1}) {
      check(all, operation, count, Way::in_place, ranks - 1);
    }
  }
}

}  // namespace
}  // namespace pintle::collective
