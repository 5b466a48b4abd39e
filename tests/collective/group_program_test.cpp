// Programs of collectives against what one process computes.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "collective/group/layout.h"
#include "programs.h"
#include "rank_processes.h"
#include "ranks.h"

namespace pintle::collective {
namespace {

constexpr std::array algorithms{Algorithm::automatic, Algorithm::direct, Algorithm::ring, Algorithm::halving_doubling,
                                Algorithm::tree};

/// Every pair that has a meaning.
struct Pair {
  ReduceOp op;
  DType dtype;
};
std::vector<Pair> pairs() {
  std::vector<Pair> pairs;
  for (int op = 1; op <= static_cast<int>(ReduceOp::logical_xor); ++op) {
    for (int dtype = 1; dtype <= static_cast<int>(DType::complex64); ++dtype) {
      const Pair pair{static_cast<ReduceOp>(op), static_cast<DType>(dtype)};
      if (check_reduction(pair.op, pair.dtype)) pairs.push_back(pair);
    }
  }
  return pairs;
}

/// Counts around a message, and a buffer so large that threads reach into each other's memory.
std::uint64_t random_count(Random& random, std::uint32_t ranks, std::uint64_t element_bytes, bool has_parts) {
  const std::uint64_t message = Layout(ranks).payload() / element_bytes;
  const std::uint64_t large = (std::uint64_t{300} << 10) / element_bytes / (has_parts ? ranks : 1) + random() % 7;
  const std::array counts{std::uint64_t{0},    std::uint64_t{1}, std::uint64_t{7},
                          std::uint64_t{1021}, message - 1,      message,
                          message + 1,         3 * message + 3,  large};
  return counts[random() % counts.size()];
}

Step random_step(Random& random, std::uint32_t ranks) {
  static const std::vector<Pair> every_pair = pairs();
  const Pair pair = every_pair[random() % every_pair.size()];
  Step step;
  step.operation = static_cast<Operation>(1 + random() % static_cast<unsigned>(Operation::all_to_all));
  step.op = pair.op;
  step.dtype = pair.dtype;
  const bool has_parts = step.operation >= Operation::reduce_scatter && step.operation != Operation::broadcast;
  step.count = random_count(random, ranks, bytes_of(step.dtype), has_parts);
  step.root = static_cast<std::uint32_t>(random() % ranks);
  step.algorithm = algorithms[random() % algorithms.size()];
  step.is_in_place = random() % 2 == 0;
  step.is_reproducible = random() % 4 == 0;
  step.shift = random() % 16;
  step.seed = random() % 1000;
  return step;
}

std::vector<Step> random_program(std::uint64_t seed, std::uint32_t ranks) {
  Random random(seed);
  std::vector<Step> program(20 + random() % 21);
  for (Step& step : program) step = random_step(random, ranks);
  return program;
}

class GroupProgramConcurrency : public testing::TestWithParam<std::uint32_t> {};

TEST_P(GroupProgramConcurrency, RandomProgramsGiveWhatOneProcessGives) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto program = random_program(seed * 100 + GetParam(), GetParam());
    expect_success(on_each_of(GetParam(), [&](Group& group) { return play(group, program); }));
  }
}

// Every operation with every root by every algorithm, in place and not, of no element, of one, and of some messages.
TEST_P(GroupProgramConcurrency, EveryOperationByEveryAlgorithm) {
  const std::uint32_t ranks = GetParam();
  std::vector<Step> program;
  for (int operation = 1; operation <= static_cast<int>(Operation::all_to_all); ++operation) {
    for (const Algorithm algorithm : algorithms) {
      for (std::uint32_t root = 0; root < ranks; ++root) {
        Step step{.operation = static_cast<Operation>(operation), .dtype = DType::i32};
        step.algorithm = algorithm;
        step.root = root;
        step.seed = program.size();
        step.shift = program.size() % 9;
        step.is_in_place = program.size() % 2 == 0;
        const std::uint64_t message = Layout(ranks).payload() / sizeof(std::int32_t);
        for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1021}, 2 * message + 5}) {
          step.count = count;
          if (root < (count < 2000 ? ranks : 2)) program.push_back(step);
        }
        if (!step.has_root()) break;
      }
    }
  }
  expect_success(on_each_of(ranks, [&](Group& group) { return play(group, program); }));
}

INSTANTIATE_TEST_SUITE_P(Ranks, GroupProgramConcurrency, testing::Values(1, 2, 3, 4, 7, 8),
                         [](const auto& info) { return std::to_string(info.param); });

class GroupPairsConcurrency : public testing::TestWithParam<std::uint32_t> {};

TEST_P(GroupPairsConcurrency, EveryDtypeByEveryOperator) {
  std::vector<Step> program;
  for (const Pair pair : pairs()) {
    for (const Algorithm algorithm : algorithms) {
      Step step{.operation = static_cast<Operation>(1 + program.size() % 3), .op = pair.op, .dtype = pair.dtype};
      step.algorithm = algorithm;
      step.count = program.size() % 2 == 0 ? 300 : 7;
      step.root = static_cast<std::uint32_t>(program.size() % GetParam());
      step.is_in_place = program.size() % 4 < 2;
      step.shift = program.size() % 5;
      step.seed = program.size();
      program.push_back(step);
    }
  }
  expect_success(on_each_of(GetParam(), [&](Group& group) { return play(group, program); }));
}

// Numbers that no order but that of the ranks gives exactly, in buffers that threads reach into.
TEST_P(GroupPairsConcurrency, LargeBuffersAreFoldedInTheOrderOfRanks) {
  std::vector<Step> program;
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f8_e4m3fn, DType::complex64}) {
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::mean, ReduceOp::prod}) {
      Step step{.op = op, .dtype = dtype, .count = (300 << 10) / bytes_of(dtype) + 1};
      step.algorithm = Algorithm::direct;
      for (const Operation operation : {Operation::all_reduce, Operation::reduce, Operation::reduce_scatter}) {
        step.operation = operation;
        step.seed = program.size();
        step.is_in_place = program.size() % 2 == 0;
        if (operation == Operation::reduce_scatter) step.count /= GetParam();
        program.push_back(step);
      }
    }
  }
  expect_success(on_each_of(GetParam(), [&](Group& group) { return play(group, program); }));
}

INSTANTIATE_TEST_SUITE_P(Ranks, GroupPairsConcurrency, testing::Values(2, 3, 5),
                         [](const auto& info) { return std::to_string(info.param); });

// C2: the real thing through real processes.
class GroupProgramProcesses : public OverWires {};
INSTANTIATE_TEST_SUITE_P(Wires, GroupProgramProcesses, wires(), name_of_wire);

TEST_P(GroupProgramProcesses, RandomProgramsGiveWhatOneProcessGives) {
  if (!is_rank_process()) return run_ranks(3);
  Group group = must(Group::join());
  EXPECT_EQ(group.transport(), transport());
  for (std::uint64_t seed = 1; seed <= 4; ++seed) expect_success({play(group, random_program(seed, 3))});
  must(group.run(Collective::barrier()));
}

TEST_P(GroupProgramProcesses, TwoRanks) {
  if (!is_rank_process()) return run_ranks(2);
  Group group = must(Group::join());
  for (std::uint64_t seed = 11; seed <= 13; ++seed) expect_success({play(group, random_program(seed, 2))});
  must(group.run(Collective::barrier()));
}

// More ranks than `direct` is for.
TEST_P(GroupProgramProcesses, NineRanks) {
  if (!is_rank_process()) return run_ranks(9);
  Group group = must(Group::join());
  expect_success({play(group, random_program(21, 9))});
  must(group.run(Collective::barrier()));
}

// Larger than caches; one rank works in place where the other one does not.
TEST_P(GroupProgramProcesses, LargeBuffers) {
  if (!is_rank_process()) return run_ranks(2);
  Group group = must(Group::join());
  Step step{.op = ReduceOp::sum, .dtype = DType::f32, .count = (32 << 20) / 4 + 7, .shift = 3};
  step.algorithm = Algorithm::direct;
  for (const std::uint32_t in_place : {0u, 1u, 2u}) {  // 2: none
    step.is_in_place = group.rank() == in_place;
    step.seed = 1 + in_place;
    expect_success({play(group, step)});
  }
  must(group.run(Collective::barrier()));
}

// Only what has come counts: 0 elements are an operation as well, and bytes next to small ones are nobody's (C1).
TEST(GroupProgram, OfOneRankEveryOperationIsACopyOrLess) {
  std::vector<Group> groups = must(Group::threads(1));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) expect_success({play(groups[0], random_program(seed, 1))});
  must(groups[0].run(Collective::barrier()));
}

}  // namespace
}  // namespace pintle::collective
