#include "collective/fold/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "programs.h"
#include "simulation.h"

namespace pintle::collective {
namespace {

constexpr std::uint32_t most = 17;

TEST(Slice, SlicesAreAllOfItAndDifferByOneAtMost) {
  for (std::uint32_t slices = 1; slices <= most; ++slices) {
    for (std::uint64_t count = 0; count < 40; ++count) {
      std::uint64_t first = 0;
      for (std::uint32_t i = 0; i < slices; ++i) {
        const Slice slice = slice_of(count, i, slices);
        EXPECT_EQ(slice.first, first);
        EXPECT_GE(slice.count, count / slices);
        EXPECT_LE(slice.count, count / slices + 1);
        first += slice.count;
      }
      EXPECT_EQ(first, count);
    }
  }
}

TEST(Slice, CountsOfSixtyFourBits) {
  constexpr std::uint64_t count = ~std::uint64_t{0};
  EXPECT_EQ(slice_of(count, 2, 3).first + slice_of(count, 2, 3).count, count);
}

void schedule(Schedule& schedule, Operation operation, const Work& work) {
  switch (operation) {
    case Operation::all_reduce: return schedule_all_reduce(schedule, work);
    case Operation::reduce: return schedule_reduce(schedule, work);
    case Operation::reduce_scatter: return schedule_reduce_scatter(schedule, work);
    case Operation::all_gather: return schedule_all_gather(schedule, work);
    case Operation::gather: return schedule_gather(schedule, work);
    case Operation::scatter: return schedule_scatter(schedule, work);
    case Operation::broadcast: return schedule_broadcast(schedule, work);
    case Operation::all_to_all: return schedule_all_to_all(schedule, work);
    default: return schedule_barrier(schedule);
  }
}

/// The memory of a rank; in place `to` is `from`, or a part of it, or the other way round.
struct Place {
  Bytes memory, to;
  std::byte* out = nullptr;
  const std::byte* in = nullptr;
};

Place place_of(const Step& step, std::uint32_t rank, const Bytes& given, std::uint64_t to_bytes) {
  Place place;
  const std::uint64_t part = step.count * bytes_of(step.dtype);
  const bool is_gathered = step.operation == Operation::all_gather || step.operation == Operation::gather;
  const bool is_part = step.operation == Operation::reduce_scatter || step.operation == Operation::scatter;
  place.memory = given;
  if (step.operation == Operation::broadcast) place.memory.resize(part);
  if (!step.is_in_place || step.operation == Operation::all_to_all || given.empty() || to_bytes == 0) {
    place.to.resize(to_bytes);
    place.out = place.to.data();
    place.in = place.memory.data();
    if (step.operation == Operation::broadcast) place.in = place.out = place.memory.data();
  } else if (is_gathered) {
    place.memory.resize(to_bytes);
    std::copy_n(given.begin(), part, place.memory.begin() + static_cast<std::ptrdiff_t>(rank * part));
    place.out = place.memory.data();
    place.in = place.memory.data() + rank * part;
  } else {
    place.in = place.memory.data();
    place.out = place.memory.data() + (is_part ? rank * part : 0);
  }
  return place;
}

/// The schedules of all ranks for `step`, run in an order of `seed`.
void expect_result(const Step& step, std::uint32_t ranks, Simulation::Room room, bool folds_at_owner) {
  SCOPED_TRACE(step.text() + ", ranks " + std::to_string(ranks));
  Simulation simulation(ranks, room);
  simulation.reduce_by(step.op, step.dtype);
  std::vector<Place> places(ranks);
  std::vector<Bytes> expected(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const Part part(step, rank, ranks);
    expected[rank] = part.gets() ? part.gotten() : Bytes();
    places[rank] = place_of(step, rank, part.gives() ? part.given() : Bytes(), expected[rank].size());
    Work work{.to = places[rank].out, .from = places[rank].in, .part = step.count};
    work.element_bytes = bytes_of(step.dtype);
    work.op = step.op;
    work.dtype = step.dtype;
    work.root = step.root;
    work.algorithm = step.algorithm;
    work.folds_at_owner = folds_at_owner;
    work.piece = room.bytes;
    schedule(simulation.schedule(rank), step.operation, work);
  }
  simulation.run(step.seed);
  EXPECT_TRUE(simulation.is_complete()) << "deadlock, or something is left over";
  EXPECT_TRUE(simulation.is_sound());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::span gotten(places[rank].out, expected[rank].size());
    EXPECT_TRUE(std::ranges::equal(gotten, expected[rank])) << "rank " << rank;
  }
}

/// A rank alone has nobody to go round with: operations of one are direct.
std::vector<Algorithm> algorithms_of(std::uint32_t ranks) {
  if (ranks == 1) return {Algorithm::direct};
  return {Algorithm::direct, Algorithm::ring, Algorithm::halving_doubling, Algorithm::tree};
}

class ScheduleSimulation : public testing::TestWithParam<std::uint32_t> {};

// One message of two elements is all the room there is between two ranks: any circle of waits would show.
TEST_P(ScheduleSimulation, NeverDeadlocksAndGivesTheRightBytes) {
  std::uint64_t seed = 0;
  for (int operation = 1; operation <= static_cast<int>(Operation::all_to_all); ++operation) {
    for (const Algorithm algorithm : algorithms_of(GetParam())) {
      for (const bool folds_at_owner : {false, true}) {
        Step step{.operation = static_cast<Operation>(operation), .dtype = DType::i32, .algorithm = algorithm};
        if (folds_at_owner && !step.folds()) continue;
        // Smaller ones are folded by everybody, which stands on messages that hold them whole.
        const bool is_whole = algorithm == Algorithm::direct && step.operation == Operation::all_reduce;
        for (const std::uint64_t count : {0u, 1u, 5u, 40u}) {
          step.count = count;
          step.root = static_cast<std::uint32_t>(++seed % GetParam());
          step.seed = seed;
          step.is_in_place = seed % 3 == 0;
          expect_result(step, GetParam(), {.messages = 1, .bytes = is_whole ? 4096u : 8u}, folds_at_owner);
        }
      }
    }
  }
}

TEST_P(ScheduleSimulation, DirectAllReduceInBlocks) {
  Step step{.dtype = DType::i32, .count = 1100, .algorithm = Algorithm::direct};
  for (const std::uint64_t bytes : {16u, 64u, 4096u}) {
    for (const bool is_in_place : {false, true}) {
      step.is_in_place = is_in_place;
      step.seed = bytes + (is_in_place ? 1 : 0);
      expect_result(step, GetParam(), {.messages = 1, .bytes = bytes}, true);
    }
  }
}

// Larger than caches, bytes take other ways; the sizes and the order of messages stay the same on both sides.
TEST(ScheduleOfLargeBuffers, DirectAllReduce) {
  Step step{.dtype = DType::i32, .count = (32 << 20) / 4 + 5, .algorithm = Algorithm::direct, .seed = 3};
  expect_result(step, 2, {.messages = 2, .bytes = 128 << 10}, true);
  expect_result(step, 3, {.messages = 2, .bytes = 64 << 10}, true);
}

TEST_P(ScheduleSimulation, InPlaceAtEveryRoot) {
  for (const Operation operation : {Operation::reduce, Operation::gather, Operation::scatter, Operation::broadcast}) {
    for (const Algorithm algorithm : algorithms_of(GetParam())) {
      for (std::uint32_t root = 0; root < GetParam(); ++root) {
        Step step{.operation = operation, .dtype = DType::i32, .count = 9, .root = root, .algorithm = algorithm};
        step.is_in_place = true;
        step.seed = root + 1;
        expect_result(step, GetParam(), {}, false);
      }
    }
  }
}

TEST_P(ScheduleSimulation, ABarrierHoldsEverybodyUntilTheLastHasCome) {
  const std::uint32_t ranks = GetParam();
  for (std::uint32_t late = 0; late < ranks; ++late) {
    Simulation simulation(ranks, {});
    for (std::uint32_t rank = 0; rank < ranks; ++rank) schedule_barrier(simulation.schedule(rank));
    simulation.stop(late);
    simulation.run(late + 1);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(simulation.is_complete(rank), ranks == 1) << "rank " << rank << " while rank " << late << " is late";
    }
    simulation.resume();
    simulation.run(late + 2);
    EXPECT_TRUE(simulation.is_complete());
  }
}

// Nobody has the result of an all_reduce or all_gather before everybody has given.
TEST_P(ScheduleSimulation, NobodyIsDoneBeforeTheLastHasGiven) {
  const std::uint32_t ranks = GetParam();
  for (const Algorithm algorithm : algorithms_of(ranks)) {
    for (const Operation operation : {Operation::all_reduce, Operation::all_gather, Operation::all_to_all}) {
      Simulation simulation(ranks, {.messages = 8, .bytes = 4096});
      simulation.reduce_by(ReduceOp::sum, DType::u8);
      std::vector<Bytes> to(ranks, Bytes(2 * ranks)), from(ranks, Bytes(2 * ranks));
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Work work{.to = to[rank].data(), .from = from[rank].data(), .part = 2, .algorithm = algorithm};
        work.folds_at_owner = false;
        schedule(simulation.schedule(rank), operation, work);
      }
      simulation.stop(0);
      simulation.run(1);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_FALSE(simulation.is_complete(rank));
      simulation.resume();
      simulation.run(2);
      EXPECT_TRUE(simulation.is_complete());
    }
  }
}

TEST_P(ScheduleSimulation, ARingSendsNoMoreThanItHasTo) {
  const std::uint32_t ranks = GetParam();
  Simulation simulation(ranks, {});
  Bytes to(1700 * 4), from(1700 * 4);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Work work{.to = to.data(), .from = from.data(), .part = 1700, .element_bytes = 4};
    work.algorithm = Algorithm::ring;
    work.folds_at_owner = false;
    schedule_all_reduce(simulation.schedule(rank), work);
    const double least = 2.0 * (ranks - 1) / ranks * static_cast<double>(from.size());
    EXPECT_LE(static_cast<double>(simulation.bytes_sent(rank)), 1.05 * least);
    EXPECT_GE(static_cast<double>(simulation.bytes_sent(rank)), 0.95 * least);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ScheduleSimulation, testing::Range(1u, most + 1),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(Schedule, ItemsForOneRankKeepTheirOrder) {
  Schedule schedule(0, 3);
  schedule.send(1, nullptr, 4);
  const std::uint32_t second = schedule.send(1, nullptr, 8);
  schedule.send(2, nullptr, 16);
  const std::uint32_t first = schedule.to_rank(1).head;
  EXPECT_EQ(schedule.items()[schedule.links()[first].item].bytes, 4u);
  EXPECT_EQ(schedule.links()[schedule.links()[first].next].item, second);
  EXPECT_EQ(schedule.links()[second].next, Schedule::none);
  EXPECT_THAT(schedule.peers(), testing::ElementsAre(1u, 2u));
}

TEST(Schedule, APeerIsCountedOnce) {
  Schedule schedule(1, 4);
  schedule.receive(0, nullptr, 4);
  schedule.send(0, nullptr, 4);
  schedule.fold(nullptr, nullptr, 4, schedule.everybody(), 1);
  EXPECT_THAT(schedule.peers(), testing::ElementsAre(0u, 2u, 3u));
}

TEST(Schedule, ClearForgetsEverything) {
  Schedule schedule(0, 3);
  for (int round = 0; round < 3; ++round) {
    EXPECT_NE(schedule.scratch(100), nullptr);
    schedule.send(1, nullptr, 4);
    schedule.receive(2, nullptr, 4);
    schedule.copy(nullptr, nullptr, 4);
    EXPECT_EQ(schedule.items().size(), 3u);
    schedule.clear();
    EXPECT_TRUE(schedule.items().empty());
    EXPECT_TRUE(schedule.links().empty());
    EXPECT_TRUE(schedule.copies().empty());
    EXPECT_TRUE(schedule.peers().empty());
    EXPECT_EQ(schedule.to_rank(1).head, Schedule::none);
    EXPECT_EQ(schedule.from_rank(2).tail, Schedule::none);
  }
}

TEST(Schedule, AFoldRemembersWhatItStandsOn) {
  Schedule schedule(2, 3);
  const std::array<std::uint32_t, 2> sources{0, 2};
  const std::uint32_t sent = schedule.send(0, nullptr, 4);
  const std::uint32_t received = schedule.receive(1, nullptr, 4);
  const std::uint32_t item = schedule.fold(nullptr, nullptr, 4, sources, 3, {received, 16}, sent);
  const Schedule::Item& fold = schedule.items()[item];
  EXPECT_EQ(fold.after, received);
  EXPECT_EQ(fold.after_offset, 16u);
  EXPECT_EQ(fold.clear, sent);
  EXPECT_EQ(fold.divisor, 3u);
  EXPECT_EQ(fold.link_count, 2u);
  EXPECT_EQ(schedule.links()[fold.links].rank, 0u);
  EXPECT_EQ(schedule.links()[fold.links + 1].rank, 2u);
}

}  // namespace
}  // namespace pintle::collective
