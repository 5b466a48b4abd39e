// Many operations one after another, with ranks that are slow at random: nobody overwrites what another still reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collective/group/layout.h"
#include "programs.h"
#include "rank_processes.h"
#include "ranks.h"

namespace pintle::collective {
namespace {

/// Stops a rank for a moment, now and then: different ranks at different steps.
class Delays {
 public:
  Delays(std::uint64_t seed, std::uint32_t rank) : random_(seed * 97 + rank) {}
  void maybe() {
    const auto dice = random_() % 64;
    if (dice == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 2000));
    else if (dice < 16) std::this_thread::yield();
  }

 private:
  Random random_;
};

// Y12: the next operation's bytes do not come before a slow rank has read the last one's.
TEST(GroupSequenceConcurrency, BackToBackWithASlowRank) {
  for (const std::uint32_t ranks : {2u, 3u, 4u}) {
    expect_success(on_each_of(ranks, [&](Group& group) -> Result<void> {
      Delays delays(ranks, group.rank());
      std::vector<std::uint32_t> from(100), to(100), all(100 * ranks);
      for (std::uint32_t round = 0; round < 150; ++round) {
        std::ranges::fill(from, round + group.rank());
        PINTLE_TRY(group.run(Collective::all_reduce(to, from, ReduceOp::sum)));
        delays.maybe();
        PINTLE_TRY(group.run(Collective::all_gather(all, to)));
        delays.maybe();
        const std::uint32_t sum = round * ranks + ranks * (ranks - 1) / 2;
        if (all != std::vector(all.size(), sum))
          return Error(Errc::internal, "wrong in round " + std::to_string(round));
        PINTLE_TRY(group.run(Collective::broadcast(from, round % ranks)));
        if (from != std::vector(from.size(), round + round % ranks)) return Error(Errc::internal, "wrong broadcast");
      }
      return {};
    }));
  }
}

// The same where threads reach into each other's memory: what is given is changed as soon as an operation is done.
TEST(GroupSequenceConcurrency, LargeOnesBackToBackWithASlowRank) {
  for (const std::uint32_t ranks : {2u, 3u}) {
    expect_success(on_each_of(ranks, [&](Group& group) -> Result<void> {
      Delays delays(ranks, group.rank());
      std::vector<std::uint32_t> values(30'000), parts(30'000 * ranks);
      for (std::uint32_t round = 0; round < 60; ++round) {
        std::ranges::fill(values, round + group.rank());
        PINTLE_TRY(group.run(Collective::all_gather(parts, values)));
        delays.maybe();
        std::ranges::fill(values, 1);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
          if (parts[30'000 * rank + round] != round + rank) return Error(Errc::internal, "wrong all_gather");
        }
        std::ranges::fill(parts, 0);
        PINTLE_TRY(group.run(Collective::all_reduce(values, ReduceOp::sum)));
        delays.maybe();
        if (values != std::vector(values.size(), ranks)) return Error(Errc::internal, "wrong all_reduce");
      }
      return {};
    }));
  }
}

// Y11: every barrier of many really waits, for any number of ranks.
TEST(GroupSequenceConcurrency, EveryBarrierWaitsForEverybody) {
  for (const std::uint32_t ranks : {2u, 3u, 5u, 6u, 8u}) {
    std::atomic<std::uint32_t> arrived{0};
    expect_success(on_each_of(ranks, [&](Group& group) -> Result<void> {
      Delays delays(ranks, group.rank());
      for (std::uint32_t round = 1; round <= 60; ++round) {
        delays.maybe();
        arrived.fetch_add(1);
        PINTLE_TRY(group.run(Collective::barrier()));
        // Between two barriers nobody comes and nobody is missing.
        if (arrived.load() != round * ranks) return Error(Errc::internal, "a barrier did not hold");
        PINTLE_TRY(group.run(Collective::barrier()));
      }
      return {};
    }));
  }
}

TEST(GroupSequenceConcurrency, ProgramsWithSlowRanks) {
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::ring, Algorithm::halving_doubling, Algorithm::tree}) {
    expect_success(on_each_of(4, [&](Group& group) -> Result<void> {
      Delays delays(static_cast<std::uint64_t>(algorithm), group.rank());
      for (std::uint64_t i = 0; i < 64; ++i) {
        Step step{.operation = static_cast<Operation>(1 + i % 8), .dtype = DType::i64, .algorithm = algorithm};
        step.count = std::array<std::uint64_t, 4>{1, 40, 1021, 9000}[i / 8 % 4];
        step.root = static_cast<std::uint32_t>(i % 4);
        step.is_in_place = i % 3 == 0;
        step.seed = i;
        delays.maybe();
        PINTLE_TRY(play(group, step));
      }
      return {};
    }));
  }
}

// Both directions at once, more than all slots hold: nobody waits for room while the other one does.
TEST(GroupSequenceConcurrency, ExchangesMoreThanThereIsRoomFor) {
  for (const std::uint32_t ranks : {2u, 4u}) {
    const std::uint64_t room = Layout(ranks).payload() * Layout::slots;
    Step step{.operation = Operation::all_to_all, .dtype = DType::u8, .count = 3 * room + 7, .seed = ranks};
    step.algorithm = Algorithm::ring;  // not in each other's memory
    expect_success(on_each_of(ranks, [&](Group& group) { return play(group, step); }));
  }
}

TEST(GroupSequenceConcurrency, LettersComeInTheirOrder) {
  expect_success(on_each_of(3, [](Group& group) -> Result<void> {
    const std::uint32_t right = (group.rank() + 1) % 3, left = (group.rank() + 2) % 3;
    for (std::uint32_t round = 0; round < 100; ++round) {
      // Half of the slots are free at least when everything has been taken: so nobody waits here.
      for (std::uint32_t i = 0; i < Layout::slots / 2; ++i) {
        PINTLE_TRY(group.run(Collective::send(std::vector<std::uint32_t>(i * 10, round * 100 + i), right)));
      }
      for (std::uint32_t i = 0; i < Layout::slots / 2; ++i) {
        std::vector<std::uint32_t> letter(i * 10);
        PINTLE_TRY(group.run(Collective::recv(letter, left)));
        if (letter != std::vector(i * 10, round * 100 + i)) return Error(Errc::internal, "a letter is wrong");
      }
      if (round % 10 == 0) PINTLE_TRY(group.run(Collective::barrier()));
    }
    return {};
  }));
}

TEST(GroupSequenceConcurrency, LettersOfManyMessagesBothWays) {
  expect_success(on_each_of(2, [](Group& group) -> Result<void> {
    const std::uint32_t other = 1 - group.rank();
    std::vector<std::uint64_t> out(500'000, 7 + group.rank()), in(500'000);
    for (int round = 0; round < 3; ++round) {  // one of the two listens first
      if (group.rank() == 0) {
        PINTLE_TRY(group.run(Collective::send(out, other)));
        PINTLE_TRY(group.run(Collective::recv(in, other)));
      } else {
        PINTLE_TRY(group.run(Collective::recv(in, other)));
        PINTLE_TRY(group.run(Collective::send(out, other)));
      }
      if (in != std::vector<std::uint64_t>(500'000, 7 + other)) return Error(Errc::internal, "a letter is wrong");
    }
    return {};
  }));
}

// Other ranks take no part: two of them talk while the rest is busy.
TEST(GroupSequenceConcurrency, LettersBetweenOperationsOfAll) {
  expect_success(on_each_of(4, [](Group& group) -> Result<void> {
    for (std::uint32_t round = 0; round < 120; ++round) {
      std::array<std::uint32_t, 1> value{round};
      const std::uint32_t from = round % 4, to = (round * 3 + 1) % 4;
      if (from != to && group.rank() == from) PINTLE_TRY(group.run(Collective::send(value, to)));
      if (from != to && group.rank() == to) {
        value[0] = 0;
        PINTLE_TRY(group.run(Collective::recv(value, from)));
        if (value[0] != round) return Error(Errc::internal, "a letter is wrong");
      }
      PINTLE_TRY(group.run(Collective::all_reduce(value, ReduceOp::sum)));
      if (value[0] != 4 * round) return Error(Errc::internal, "a sum is wrong");
    }
    return {};
  }));
}

// A rank that ends its part may leave while others still take theirs.
TEST(GroupSequenceConcurrency, LeavingAfterTheLastOperation) {
  for (int round = 0; round < 60; ++round) {
    std::vector<Group> groups = must(Group::threads(3));
    expect_success(on_each(groups, [&](Group& group) -> Result<void> {
      Group own = std::move(group);  // leaves with this function
      std::array<std::uint32_t, 3> value{1, 2, 3};
      PINTLE_TRY(own.run(Collective::all_reduce(value, ReduceOp::sum)));
      PINTLE_TRY(own.run(Collective::broadcast(value, static_cast<std::uint32_t>(round % 3))));
      return value[2] == 9 ? Result<void>() : Error(Errc::internal, "wrong");
    }));
  }
}

TEST(GroupSequenceConcurrency, WhoLeavesTooEarlyIsNamed) {
  std::vector<Group> groups = must(Group::threads(3));
  const Outcomes outcomes = on_each(groups, [](Group& group) -> Result<void> {
    if (group.rank() == 1) {
      group = Group();
      return {};
    }
    return group.run(Collective::barrier());
  });
  for (const std::uint32_t rank : {0u, 2u}) {
    ASSERT_FALSE(outcomes[rank]);
    EXPECT_EQ(outcomes[rank].error().code(), Errc::peer_lost);
    EXPECT_THAT(outcomes[rank].error().text(),
                testing::AllOf(testing::HasSubstr("Rank 1 "), testing::HasSubstr("it has left the group")));
  }
}

// C2: the same between processes.
class GroupSequenceProcesses : public OverWires {};
INSTANTIATE_TEST_SUITE_P(Wires, GroupSequenceProcesses, wires(), name_of_wire);

TEST_P(GroupSequenceProcesses, BackToBackWithASlowRank) {
  if (!is_rank_process()) return run_ranks(3);
  Group group = must(Group::join());
  Delays delays(5, group.rank());
  for (std::uint32_t round = 0; round < 80; ++round) {
    std::vector<std::uint32_t> values(20'000, round + group.rank());
    must(group.run(Collective::all_reduce(values, ReduceOp::sum)));
    delays.maybe();
    ASSERT_THAT(values, testing::Each(round * 3 + 3));
    must(group.run(Collective::barrier()));
  }
}

}  // namespace
}  // namespace pintle::collective
