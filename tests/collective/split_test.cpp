// Groups made of parts of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pintle/group.h"
#include "pintle/must.h"
#include "rank_processes.h"
#include "ranks.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

/// The sum of what every rank of the group gives.
Result<std::uint64_t> sum_of(Group& group, std::uint64_t value) {
  std::array<std::uint64_t, 1> values{value};
  PINTLE_TRY(group.run(Collective::all_reduce(values, ReduceOp::sum)));
  return values[0];
}

Result<void> expect(bool is_true, const std::string& what) {
  return is_true ? Result<void>() : Error(Errc::internal, what + " is wrong");
}

TEST(SplitConcurrency, ColorsMakeGroupsAndKeysOrderThem) {
  expect_success(on_each_of(6, [](Group& group) -> Result<void> {
    PINTLE_ASSIGN(part, group.split(group.rank() % 2, 10 - group.rank(), {.label = "half"}));
    PINTLE_TRY(expect(part.has_value() && part->ranks() == 3, "the number of ranks"));
    PINTLE_TRY(expect(part->rank() == 2 - group.rank() / 2, "the rank"));  // the higher, the earlier
    EXPECT_THAT(part->text(), HasSubstr("\"half\""));
    EXPECT_EQ(part->transport(), "threads");
    EXPECT_EQ(part->generation(), 1u);
    PINTLE_ASSIGN(sum, sum_of(*part, group.rank()));
    return expect(sum == (group.rank() % 2 == 0 ? 6u : 9u), "the sum");
  }));
}

TEST(SplitConcurrency, EqualKeysKeepTheOrderOfRanks) {
  expect_success(on_each_of(5, [](Group& group) -> Result<void> {
    PINTLE_ASSIGN(part, group.split(~0u, group.rank() == 4 ? 0 : 7));
    PINTLE_TRY(expect(part->ranks() == 5, "the number of ranks"));
    return expect(part->rank() == (group.rank() + 1) % 5, "the rank");
  }));
}

TEST(SplitConcurrency, WithoutAColorThereIsNoGroup) {
  expect_success(on_each_of(4, [](Group& group) -> Result<void> {
    const bool is_in = group.rank() == 1 || group.rank() == 3;
    PINTLE_ASSIGN(part, group.split(is_in ? std::optional<std::uint32_t>(5) : std::nullopt));
    PINTLE_TRY(expect(part.has_value() == is_in, "who has a group"));
    if (is_in) {
      PINTLE_ASSIGN(sum, sum_of(*part, group.rank()));
      PINTLE_TRY(expect(sum == 4, "the sum of the part"));
    }
    PINTLE_ASSIGN(all, sum_of(group, 1));
    return expect(all == 4, "the sum of all");
  }));
}

TEST(SplitConcurrency, NobodyAndEverybodyAlone) {
  expect_success(on_each_of(3, [](Group& group) -> Result<void> {
    PINTLE_ASSIGN(none, group.split(std::nullopt));
    PINTLE_TRY(expect(!none.has_value(), "a group of nobody"));
    PINTLE_ASSIGN(alone, group.split(group.rank()));
    PINTLE_TRY(expect(alone->ranks() == 1 && alone->rank() == 0, "a group of one"));
    PINTLE_ASSIGN(sum, sum_of(*alone, 77));
    return expect(sum == 77, "the sum of one");
  }));
}

// Groups side by side, used in turn, and parts of parts; messages of one never come in another.
TEST(SplitConcurrency, GroupsLiveSideBySide) {
  expect_success(on_each_of(8, [](Group& group) -> Result<void> {
    const std::uint32_t row = group.rank() / 4, column = group.rank() % 4;
    PINTLE_ASSIGN(rows, group.split(row));
    PINTLE_ASSIGN(columns, group.split(column));
    PINTLE_ASSIGN(pairs, rows->split(rows->rank() / 2));
    for (std::uint64_t round = 0; round < 100; ++round) {
      PINTLE_ASSIGN(in_row, sum_of(*rows, round + column));
      PINTLE_ASSIGN(in_column, sum_of(*columns, round + row));
      PINTLE_ASSIGN(in_pair, sum_of(*pairs, round + column));
      PINTLE_TRY(expect(in_row == 4 * round + 6, "the sum of a row"));
      PINTLE_TRY(expect(in_column == 2 * round + 1, "the sum of a column"));
      PINTLE_TRY(expect(in_pair == 2 * round + (column < 2 ? 1 : 5), "the sum of a pair"));
      if (round % 10 == 0) PINTLE_TRY(group.run(Collective::barrier()));
    }
    return {};
  }));
}

TEST(SplitConcurrency, APartOutlivesTheWhole) {
  expect_success(on_each_of(4, [](Group& group) -> Result<void> {
    PINTLE_ASSIGN(part, group.split(group.rank() / 2));
    group = Group();
    for (int round = 0; round < 20; ++round) {
      PINTLE_ASSIGN(sum, sum_of(*part, 3));
      PINTLE_TRY(expect(sum == 6, "the sum"));
    }
    PINTLE_ASSIGN(again, part->split(0));
    part.reset();
    PINTLE_ASSIGN(sum, sum_of(*again, 4));
    return expect(sum == 8, "the sum of the part of the part");
  }));
}

// A part that fails leaves the whole and other parts alone.
TEST(SplitConcurrency, AFailureStaysInItsGroup) {
  expect_success(on_each_of(4, [](Group& group) -> Result<void> {
    PINTLE_ASSIGN(part, group.split(group.rank() / 2));
    std::vector<float> values(1 + group.rank());
    if (group.rank() < 2) {
      PINTLE_TRY(expect(!part->run(Collective::all_reduce(values, ReduceOp::sum)), "what does not match"));
      PINTLE_TRY(expect(!part->health(), "the health of the part"));
    } else {
      PINTLE_TRY(part->run(Collective::barrier()));
      PINTLE_TRY(part->health());
    }
    PINTLE_ASSIGN(sum, sum_of(group, 1));
    return expect(sum == 4, "the sum of all");
  }));
}

TEST(SplitConcurrency, WhoDoesNotComeIsNamedOnEveryRank) {
  for (const std::uint32_t absent : {0u, 1u, 2u}) {
    const Outcomes outcomes = on_each_of(3, [&](Group& group) -> Result<void> {
      if (group.rank() == absent) return {};
      PINTLE_TRY(group.split(0, 0, {.timeout = milliseconds(300)}));
      return {};
    });
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      if (rank == absent) continue;
      ASSERT_FALSE(outcomes[rank]);
      EXPECT_EQ(outcomes[rank].error().code(), Errc::timeout);
      EXPECT_THAT(outcomes[rank].error().text(),
                  AllOf(HasSubstr("Rank " + std::to_string(absent) + " "), HasSubstr("is late")));
    }
  }
}

TEST(SplitConcurrency, WhoLeavesInsteadIsNamedOnEveryRank) {
  const Outcomes outcomes = on_each_of(3, [](Group& group) -> Result<void> {
    if (group.rank() == 2) {
      group = Group();
      return {};
    }
    PINTLE_TRY(group.split(1));
    return {};
  });
  for (const std::uint32_t rank : {0u, 1u}) {
    ASSERT_FALSE(outcomes[rank]);
    EXPECT_EQ(outcomes[rank].error().code(), Errc::peer_lost);
    EXPECT_THAT(outcomes[rank].error().text(), HasSubstr("Rank 2 "));
  }
}

// One rank splits where others reduce: nobody waits for ever, and all fail alike.
TEST(SplitConcurrency, WhereOthersReduce) {
  const Outcomes outcomes = on_each_of(3, [](Group& group) -> Result<void> {
    if (group.rank() == 0) {
      PINTLE_TRY(group.split(0, 0, {.timeout = milliseconds(300)}));
      return {};
    }
    std::array<float, 2> values{};
    return group.run(Collective::all_reduce(values, ReduceOp::sum), milliseconds(300));
  });
  for (const auto& outcome : outcomes) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code(), outcomes[0].error().code());
    EXPECT_NE(outcome.error().code(), Errc::internal) << outcome.error().text();
  }
}

TEST(SplitConcurrency, AFailedGroupIsNotSplit) {
  const Outcomes outcomes = on_each_of(2, [](Group& group) -> Result<void> {
    std::vector<float> values(1 + group.rank());
    EXPECT_FALSE(group.run(Collective::all_reduce(values, ReduceOp::sum)));
    PINTLE_TRY(group.split(0));
    return {};
  });
  for (const auto& outcome : outcomes) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code(), Errc::invalid_argument);
  }
}

class SplitProcesses : public OverWires {
 protected:
  /// Two groups of two ranks each on one host.
  static void expect_mixed(Group& group) {
    const auto refused = group.split(group.rank() / 2);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("open-mpi/ompi issue 9492"), HasSubstr("--mca osc ucx,sm")));
  }
};
INSTANTIATE_TEST_SUITE_P(Wires, SplitProcesses, wires(), name_of_wire);

TEST_P(SplitProcesses, RowsAndColumns) {
  if (!is_rank_process()) return run_ranks(4);
  Group group = must(Group::join());
  if (GetParam() == Wire::mpi_rdma) return expect_mixed(group);
  std::optional<Group> rows = must(group.split(group.rank() / 2));
  std::optional<Group> columns = must(group.split(group.rank() % 2));
  EXPECT_EQ(rows->transport(), transport());
  for (std::uint64_t round = 0; round < 50; ++round) {
    EXPECT_EQ(must(sum_of(*rows, group.rank())), group.rank() < 2 ? 1u : 5u);
    EXPECT_EQ(must(sum_of(*columns, group.rank())), group.rank() % 2 == 0 ? 2u : 4u);
  }
  must(group.run(Collective::barrier()));
}

}  // namespace
}  // namespace pintle::collective
