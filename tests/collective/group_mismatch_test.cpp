// Ranks that call different things: an error that names both sides, on every rank, in bounded time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "collective/group/group_state.h"
#include "collective/run_options.h"
#include "programs.h"
#include "rank_processes.h"
#include "ranks.h"

namespace pintle::collective {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::chrono::milliseconds limit(500);

/// What the odd rank calls, and what all others do.
struct Mismatch {
  std::string name;
  Step odd, others;
};

Step step_of(Operation operation, std::uint64_t count = 10) {
  Step step{.operation = operation, .dtype = DType::i32, .count = count};
  return step;
}

template <class Change>
Mismatch changed(std::string name, const Step& others, Change change) {
  Mismatch mismatch{std::move(name), others, others};
  change(mismatch.odd);
  return mismatch;
}

std::vector<Mismatch> mismatches() {
  std::vector<Mismatch> all;
  for (const std::uint64_t count : {std::uint64_t{10}, std::uint64_t{100'000}}) {
    const std::string size = count == 10 ? "_of_few" : "_of_many";
    const Step reduce = step_of(Operation::all_reduce, count), gather = step_of(Operation::gather, count);
    all.push_back(changed("size" + size, reduce, [](Step& step) { ++step.count; }));
    all.push_back(changed("dtype" + size, reduce, [](Step& step) { step.dtype = DType::u32; }));
    all.push_back(changed("op" + size, reduce, [](Step& step) { step.op = ReduceOp::max; }));
    all.push_back(changed("algorithm" + size, reduce, [](Step& step) { step.algorithm = Algorithm::ring; }));
    all.push_back(changed("reproducible" + size, reduce, [](Step& step) { step.is_reproducible = true; }));
    all.push_back(changed("gather_root" + size, gather, [](Step& step) { step.root = 1; }));
    all.push_back(changed("gather_size" + size, gather, [](Step& step) { --step.count; }));
    all.push_back(changed("reduce_root" + size, step_of(Operation::reduce, count), [](Step& step) { step.root = 1; }));
    all.push_back(
        changed("scatter_root" + size, step_of(Operation::scatter, count), [](Step& step) { step.root = 1; }));
    all.push_back(
        changed("broadcast_root" + size, step_of(Operation::broadcast, count), [](Step& step) { step.root = 1; }));
    all.push_back(
        changed("broadcast_size" + size, step_of(Operation::broadcast, count), [](Step& step) { ++step.count; }));
    all.push_back(
        changed("all_to_all_size" + size, step_of(Operation::all_to_all, count), [](Step& step) { --step.count; }));
    all.push_back(changed("barrier" + size, reduce, [](Step& step) { step.operation = Operation::barrier; }));
    all.push_back(changed("order" + size, reduce, [](Step& step) { step.operation = Operation::all_gather; }));
  }
  all.push_back(changed("nothing", step_of(Operation::all_reduce, 0), [](Step& step) { step.count = 1; }));
  return all;
}

/// The step, with memory that fits it.
Result<void> run(Group& group, const Step& step) {
  const std::uint64_t part = step.count * bytes_of(step.dtype);
  Bytes to(part * group.ranks()), from(part * group.ranks());
  const bool has_more = step.operation == Operation::all_gather || step.operation == Operation::gather;
  const bool gives_more = step.operation == Operation::reduce_scatter || step.operation == Operation::scatter;
  const bool has_all = step.operation == Operation::all_to_all;
  to.resize(has_more || has_all ? to.size() : part);
  from.resize(gives_more || has_all ? from.size() : part);
  RunOptions options = step.options();
  options.timeout = limit;
  const MutableElements out(step.dtype, to);
  const Elements in(step.dtype, from);
  switch (step.operation) {
    case Operation::all_reduce: return run(group, Collective::all_reduce(out, in, step.op), options);
    case Operation::reduce: return run(group, Collective::reduce(out, in, step.op, step.root), options);
    case Operation::all_gather: return run(group, Collective::all_gather(out, in), options);
    case Operation::gather: return run(group, Collective::gather(out, in, step.root), options);
    case Operation::scatter: return run(group, Collective::scatter(out, in, step.root), options);
    case Operation::broadcast: return run(group, Collective::broadcast(out, step.root), options);
    case Operation::all_to_all: return run(group, Collective::all_to_all(out, in), options);
    default: return run(group, Collective::barrier(), options);
  }
}

/// A rank that is done before it hears of the others, or of what they have found, hears of it in an operation of all.
Outcomes run(std::vector<Group>& groups, const Mismatch& mismatch, std::uint32_t odd) {
  return on_each(groups, [&](Group& group) -> Result<void> {
    PINTLE_TRY(run(group, group.rank() == odd ? mismatch.odd : mismatch.others));
    PINTLE_TRY(group.run(Collective::barrier(), limit));
    return group.run(Collective::barrier(), limit);
  });
}

class GroupMismatchConcurrency : public testing::TestWithParam<Mismatch> {};

TEST_P(GroupMismatchConcurrency, IsAnErrorOnEveryRank) {
  for (const std::uint32_t ranks : {2u, 3u, 4u}) {
    for (std::uint32_t odd = 0; odd < ranks; ++odd) {
      SCOPED_TRACE("rank " + std::to_string(odd) + " of " + std::to_string(ranks));
      std::vector<Group> groups = must(Group::threads(ranks));
      const Outcomes outcomes = run(groups, GetParam(), odd);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        ASSERT_FALSE(outcomes[rank]) << "rank " << rank;
        const Error& error = outcomes[rank].error();
        EXPECT_EQ(error.code(), Errc::invalid_argument) << error.text();
        EXPECT_THAT(error.text(), AllOf(HasSubstr(" calls "), HasSubstr(" where rank "))) << error.text();
        EXPECT_EQ(error.message(), outcomes[0].error().message()) << "rank " << rank;
        // It stays so.
        EXPECT_EQ(groups[rank].run(Collective::barrier()).error().code(), error.code());
        EXPECT_FALSE(groups[rank].health());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, GroupMismatchConcurrency, testing::ValuesIn(mismatches()),
                         [](const auto& info) { return info.param.name; });

// Numbers of both sides, as people read them.
TEST(GroupMismatchTextConcurrency, NamesBothSides) {
  std::vector<Group> groups = must(Group::threads(2, {.label = "step"}));
  const Outcomes outcomes = on_each(groups, [](Group& group) -> Result<void> {
    std::vector<float> values(group.rank() == 0 ? 8 : 9);
    return group.run(Collective::all_reduce(values, group.rank() == 0 ? ReduceOp::sum : ReduceOp::max));
  });
  for (const auto& outcome : outcomes) {
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().text(), AllOf(HasSubstr("\"step\""),
                                              HasSubstr("all_reduce 1 (sum, f32, 8 elements, 32 "
                                                        "bytes)"),
                                              HasSubstr("all_reduce 1 (max, f32, 9 elements, 36 bytes)")));
  }
}

// Each rank may find another difference, and all at one time.
TEST(GroupMismatchTextConcurrency, AllRanksTellWhatTheFirstOneFound) {
  std::vector<Group> groups = must(Group::threads(4));
  const auto fail = [&](std::uint32_t rank, Errc code) {
    return GroupState::of(groups[rank]).fail(Error(code, "Rank " + std::to_string(rank) + " has found this."));
  };
  EXPECT_EQ(fail(2, Errc::invalid_argument).message(), "Rank 2 has found this.");
  for (const std::uint32_t rank : {0u, 1u, 3u}) {
    const Error told = fail(rank, Errc::timeout);
    EXPECT_EQ(told.code(), Errc::invalid_argument) << rank;
    EXPECT_EQ(told.message(), "Rank 2 has found this.") << rank;
    EXPECT_EQ(groups[rank].run(Collective::barrier()).error().message(), told.message()) << rank;
  }
}

TEST(GroupMismatchTextConcurrency, SendAndReceiveOfDifferentSizes) {
  const Outcomes outcomes = on_each_of(2, [](Group& group) -> Result<void> {
    std::array<float, 4> values{};
    if (group.rank() == 0) PINTLE_TRY(group.run(Collective::send(values, 1)));
    else PINTLE_TRY(group.run(Collective::recv(std::span(values).first(3), 0)));
    return group.run(Collective::barrier(), limit);
  });
  for (const auto& outcome : outcomes) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code(), Errc::invalid_argument);
    EXPECT_THAT(outcome.error().text(), AllOf(HasSubstr("4 elements, 16 bytes"), HasSubstr("3 elements, 12 bytes")));
  }
}

TEST(GroupMismatchTextConcurrency, SendWhereOthersReduce) {
  const Outcomes outcomes = on_each_of(3, [](Group& group) -> Result<void> {
    std::array<float, 4> values{};
    if (group.rank() == 0) PINTLE_TRY(group.run(Collective::send(values, 1)));
    PINTLE_TRY(group.run(Collective::all_reduce(values, ReduceOp::sum), limit));
    return group.run(Collective::barrier(), limit);
  });
  for (const auto& outcome : outcomes) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code(), Errc::invalid_argument);
    EXPECT_THAT(outcome.error().text(), AllOf(HasSubstr("calls send to recv 1"), HasSubstr("calls all_reduce 1")));
  }
}

// The others wait for a rank that never calls, and say which.
TEST(GroupMismatchTextConcurrency, ARankThatDoesNotComeIsLate) {
  for (const Operation operation : {Operation::all_reduce, Operation::barrier, Operation::all_to_all}) {
    std::vector<Group> groups = must(Group::threads(3));
    const Outcomes outcomes = on_each(groups, [&](Group& group) -> Result<void> {
      return group.rank() == 1 ? Result<void>() : run(group, step_of(operation));
    });
    for (const std::uint32_t rank : {0u, 2u}) {
      ASSERT_FALSE(outcomes[rank]);
      EXPECT_EQ(outcomes[rank].error().code(), Errc::timeout);
      EXPECT_THAT(outcomes[rank].error().text(),
                  AllOf(HasSubstr("Rank 1 "), HasSubstr("is late"), HasSubstr(std::string(name(operation)) + " 1")));
    }
    EXPECT_EQ(groups[1].run(Collective::barrier()).error().code(), Errc::timeout);  // it is told when it comes
  }
}

class GroupMismatchProcesses : public OverWires {};
INSTANTIATE_TEST_SUITE_P(Wires, GroupMismatchProcesses, wires(), name_of_wire);

TEST_P(GroupMismatchProcesses, NameBothSides) {
  if (!is_rank_process()) return run_ranks(3);
  Group group = must(Group::join());
  must(group.run(Collective::barrier()));
  std::vector<float> values(group.rank() == 1 ? 9 : 8);
  auto done = group.run(Collective::all_reduce(values, ReduceOp::sum), std::chrono::seconds(20));
  if (done) done = group.run(Collective::barrier(), std::chrono::seconds(20));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Errc::invalid_argument);
  EXPECT_THAT(done.error().text(), AllOf(HasSubstr("all_reduce 2 (sum, f32, 8 elements, 32 bytes)"),
                                         HasSubstr("all_reduce 2 (sum, f32, 9 elements, 36 bytes)")));
}

TEST_P(GroupMismatchProcesses, NameARankThatDoesNotCome) {
  if (!is_rank_process()) return run_ranks(3);
  Group group = must(Group::join());
  must(group.run(Collective::barrier()));
  const Deadline end = Clock::now() + std::chrono::seconds(30);
  while (group.rank() == 1 && group.health() && Clock::now() < end) std::this_thread::yield();
  const auto done = group.run(Collective::barrier(), limit);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Errc::timeout);
  EXPECT_THAT(done.error().text(), AllOf(HasSubstr("Rank 1 of "), HasSubstr("is late: barrier 2")));
}

}  // namespace
}  // namespace pintle::collective
