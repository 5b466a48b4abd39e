#include "collective/group/operate.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "programs.h"
#include "ranks.h"

namespace pintle::collective {
namespace {

TEST(Choose, IsAlwaysAnAlgorithmThatRuns) {
  for (unsigned operation = 0; operation <= static_cast<unsigned>(Operation::set_up); ++operation) {
    for (const std::uint64_t bytes : {0ull, 1ull, 65535ull, 65536ull, 1ull << 40}) {
      for (const std::uint32_t ranks : {1u, 2u, 3u, 8u, 9u, 64u, 1024u}) {
        for (const Distance distance : {Distance::near, Distance::far}) {
          const Algorithm algorithm = choose(static_cast<Operation>(operation), bytes, ranks, distance);
          EXPECT_NE(algorithm, Algorithm::automatic);
          EXPECT_NE(algorithm, Algorithm::native);
        }
      }
    }
  }
}

TEST(Choose, ByOperationSizeAndRanks) {
  EXPECT_EQ(choose(Operation::all_reduce, 8, 2, Distance::near), Algorithm::direct);
  EXPECT_EQ(choose(Operation::all_reduce, 8, 64, Distance::near), Algorithm::tree);
  EXPECT_EQ(choose(Operation::all_reduce, 32 << 10, 64, Distance::near), Algorithm::halving_doubling);
  EXPECT_EQ(choose(Operation::all_reduce, 64 << 20, 64, Distance::near), Algorithm::ring);
  EXPECT_EQ(choose(Operation::broadcast, 8, 2, Distance::near), Algorithm::direct);
  EXPECT_EQ(choose(Operation::broadcast, 8, 3, Distance::near), Algorithm::tree);
  EXPECT_EQ(choose(Operation::reduce, 64 << 20, 3, Distance::near), Algorithm::ring);
  EXPECT_EQ(choose(Operation::all_gather, 64 << 20, 64, Distance::near), Algorithm::ring);
  EXPECT_EQ(choose(Operation::all_to_all, 64 << 20, 64, Distance::near), Algorithm::direct);
}

TEST(Choose, AcrossANetworkByTheModel) {
  EXPECT_EQ(choose(Operation::all_reduce, 1 << 20, 8, Distance::far), Algorithm::direct);
  EXPECT_EQ(choose(Operation::all_reduce, (8 << 10) - 4, 16, Distance::far), Algorithm::tree);
  EXPECT_EQ(choose(Operation::all_reduce, 8 << 10, 16, Distance::far), Algorithm::halving_doubling);
  EXPECT_EQ(choose(Operation::all_reduce, 64 << 10, 1024, Distance::far), Algorithm::tree);
  EXPECT_EQ(choose(Operation::all_reduce, 128 << 10, 1024, Distance::far), Algorithm::halving_doubling);
  EXPECT_EQ(choose(Operation::all_reduce, 64 << 20, 64, Distance::far), Algorithm::halving_doubling);
}

/// What each rank has moved in `step`.
std::vector<GroupStatistics> moved(std::uint32_t ranks, const Step& step) {
  std::vector<Group> groups = must(Group::threads(ranks));
  expect_success(on_each(groups, [&](Group& group) { return play(group, step); }));
  std::vector<GroupStatistics> all;
  for (const Group& group : groups) all.push_back(group.statistics());
  return all;
}

// Between the least that there is, and 5 % more.
TEST(OperateConcurrency, ARingOfSixtyFourMovesWhatItHasTo) {
  const std::uint32_t ranks = 64;
  Step step{.dtype = DType::f32, .count = 40'000, .algorithm = Algorithm::ring};
  const double least = 2.0 * (ranks - 1) / ranks * 4 * static_cast<double>(step.count);
  for (const GroupStatistics& statistics : moved(ranks, step)) {
    EXPECT_EQ(statistics.operations, 1u);
    EXPECT_LE(static_cast<double>(statistics.bytes_sent), 1.05 * least);
    EXPECT_LE(static_cast<double>(statistics.bytes_received), 1.05 * least);
    EXPECT_GE(static_cast<double>(statistics.bytes_sent), 0.95 * least);
  }
}

// Nothing that is sent is not received, by whatever way.
TEST(OperateConcurrency, BytesSentAreBytesReceived) {
  for (int operation = 1; operation <= static_cast<int>(Operation::all_to_all); ++operation) {
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::ring, Algorithm::tree}) {
      Step step{.operation = static_cast<Operation>(operation), .dtype = DType::i32, .count = 1000};
      step.algorithm = algorithm;
      std::uint64_t sent = 0, received = 0;
      for (const GroupStatistics& statistics : moved(3, step)) {
        sent += statistics.bytes_sent;
        received += statistics.bytes_received;
      }
      EXPECT_EQ(sent, received) << step.text();
      EXPECT_GT(sent, 0u) << step.text();
    }
  }
}

// In each other's memory, bytes count once, where they are written or read.
TEST(OperateConcurrency, BytesInEachOthersMemory) {
  const std::uint64_t bytes = 1 << 20;
  Step step{.operation = Operation::all_gather, .dtype = DType::u8, .count = bytes};
  for (const auto& statistics : moved(3, step)) EXPECT_EQ(statistics.bytes_received, 2 * bytes);
  step.operation = Operation::gather;
  const auto gathered = moved(3, step);
  EXPECT_EQ(gathered[0].bytes_sent, 0u);
  EXPECT_EQ(gathered[1].bytes_sent, bytes);
  EXPECT_EQ(gathered[2].bytes_sent, bytes);
}

TEST(OperateConcurrency, CountsEveryOperation) {
  std::vector<Group> groups = must(Group::threads(2));
  expect_success(on_each(groups, [](Group& group) -> Result<void> {
    std::array<float, 2> values{};
    PINTLE_TRY(group.run(Collective::barrier()));
    PINTLE_TRY(group.run(Collective::all_reduce(values, ReduceOp::sum)));
    return group.rank() == 0 ? group.run(Collective::send(values, 1)) : group.run(Collective::recv(values, 0));
  }));
  EXPECT_EQ(groups[0].statistics().operations, 3u);
  EXPECT_EQ(groups[1].statistics().operations, 3u);
  EXPECT_EQ(groups[0].statistics().bytes_sent, groups[1].statistics().bytes_received);
}

// The rank's own buffers may be the same memory for what is only read.
TEST(OperateConcurrency, RanksMayGiveTheSameMemory) {
  const std::vector<std::uint32_t> shared(50'000, 3);
  expect_success(on_each_of(4, [&](Group& group) -> Result<void> {
    std::vector<std::uint32_t> to(shared.size());
    PINTLE_TRY(group.run(Collective::all_reduce(to, shared, ReduceOp::sum)));
    return to == std::vector<std::uint32_t>(shared.size(), 12) ? Result<void>() : Error(Errc::internal, "wrong");
  }));
}

}  // namespace
}  // namespace pintle::collective
