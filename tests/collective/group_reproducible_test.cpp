// Reproducible mode: bitwise the fold in the order of ranks, whatever the algorithm, transport, cut and order of
// arrival.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "collective/group/layout.h"
#include "programs.h"
#include "rank_processes.h"
#include "ranks.h"

namespace pintle::collective {
namespace {

constexpr std::array algorithms{Algorithm::automatic, Algorithm::direct, Algorithm::ring, Algorithm::halving_doubling,
                                Algorithm::tree};

/// Arbitrary numbers, of which no other order has the same sum: `play` compares with the fold of one process.
std::vector<Step> reproducible_program(std::uint32_t ranks) {
  std::vector<Step> program;
  for (const Algorithm algorithm : algorithms) {
    for (const DType dtype : {DType::f32, DType::f64, DType::complex64, DType::bf16}) {
      for (int operation = 1; operation <= static_cast<int>(Operation::reduce_scatter); ++operation) {
        Step step{.operation = static_cast<Operation>(operation), .dtype = dtype, .algorithm = algorithm};
        step.op = std::array{ReduceOp::sum, ReduceOp::prod, ReduceOp::mean}[program.size() % 3];
        step.is_reproducible = true;
        step.is_in_place = program.size() % 2 == 0;
        step.seed = 5;
        const std::uint64_t message = Layout(ranks).payload() / bytes_of(dtype);
        step.count = std::array<std::uint64_t, 4>{1, 509, message + 1, 5 * message + 3}[program.size() % 4];
        step.root = static_cast<std::uint32_t>(program.size() % ranks);
        program.push_back(step);
      }
    }
  }
  return program;
}

Result<void> play_late(Group& group, const std::vector<Step>& program) {
  Random random(group.rank());
  for (const Step& step : program) {
    if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    PINTLE_TRY(play(group, step));
  }
  return {};
}

class GroupReproducibleConcurrency : public testing::TestWithParam<std::uint32_t> {};

TEST_P(GroupReproducibleConcurrency, EveryAlgorithmFoldsInTheOrderOfRanks) {
  const auto program = reproducible_program(GetParam());
  expect_success(on_each_of(GetParam(), [&](Group& group) { return play(group, program); }));
}

TEST_P(GroupReproducibleConcurrency, InAnyOrderOfArrival) {
  const auto program = reproducible_program(GetParam());
  expect_success(on_each_of(GetParam(), [&](Group& group) { return play_late(group, program); }));
}

INSTANTIATE_TEST_SUITE_P(Ranks, GroupReproducibleConcurrency, testing::Values(2, 3, 4, 7),
                         [](const auto& info) { return std::to_string(info.param); });

// The numbers are such that the order shows: otherwise the tests above could not fail.
TEST(GroupReproducibleNumbersConcurrency, AnotherOrderGivesOtherBits) {
  const std::uint32_t ranks = 5;
  Step step{.op = ReduceOp::sum, .dtype = DType::f32, .count = 509, .is_reproducible = true, .seed = 5};
  const Bytes expected = Part(step, 0, ranks).gotten();
  std::vector<Bytes> given(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) given[rank] = Part(step, rank, ranks).given();
  expect_success(on_each_of(ranks, [&](Group& group) -> Result<void> {
    Bytes to(expected.size());
    const Elements from(DType::f32, given[group.rank()]);
    PINTLE_TRY(group.run(Collective::all_reduce({DType::f32, to}, from, ReduceOp::sum).with(Algorithm::ring)));
    EXPECT_NE(to, expected);
    PINTLE_TRY(
        group.run(Collective::all_reduce({DType::f32, to}, from, ReduceOp::sum).with(Algorithm::ring).reproducible()));
    EXPECT_EQ(to, expected);
    return {};
  }));
}

// The same elements in a longer buffer are cut elsewhere and belong to other ranks.
TEST(GroupReproducibleNumbersConcurrency, AnElementDoesNotDependOnItsPlace) {
  Step step{.op = ReduceOp::sum, .dtype = DType::f64, .is_reproducible = true, .seed = 9};
  step.algorithm = Algorithm::ring;
  for (const std::uint64_t count : {1u, 2u, 100u, 251u, 5000u, 60'000u}) {
    step.count = count;
    expect_success(on_each_of(4, [&](Group& group) { return play(group, step); }));
  }
}

class GroupReproducibleProcesses : public OverWires {};
INSTANTIATE_TEST_SUITE_P(Wires, GroupReproducibleProcesses, wires(), name_of_wire);

TEST_P(GroupReproducibleProcesses, TheSameBitsAsThreads) {
  if (!is_rank_process()) return run_ranks(4);
  Group group = must(Group::join());
  expect_success({play_late(group, reproducible_program(4))});
  must(group.run(Collective::barrier()));
}

}  // namespace
}  // namespace pintle::collective
