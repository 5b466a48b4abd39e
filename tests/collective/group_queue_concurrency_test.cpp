// Ranks on threads of their own: random programs, and queues that end while others work.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "collective/group/parts.h"
#include "collective/group_queue_support.h"

namespace pintle::collective {
namespace {

using namespace std::chrono_literals;
using test::Member;
using test::Memory;

void on_threads(std::size_t ranks, const std::function<void(std::uint32_t rank)>& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

constexpr Operation operations[] = {Operation::all_reduce, Operation::reduce,    Operation::reduce_scatter,
                                    Operation::all_gather, Operation::gather,    Operation::scatter,
                                    Operation::broadcast,  Operation::all_to_all};

/// One operation of a program that is the same on every rank; whether a rank stages is its own affair.
struct Line {
  Operation operation;
  std::uint64_t count;
  std::uint32_t root;
};

std::vector<Line> program(unsigned seed, std::uint32_t ranks, std::size_t lines) {
  std::mt19937 random(seed);
  std::vector<Line> all;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::uint64_t count = random() % 8 == 0 ? 300'000 + random() % 9 : random() % 70;
    all.push_back({operations[random() % std::size(operations)], count, static_cast<std::uint32_t>(random() % ranks)});
  }
  return all;
}

/// Enqueues a line, with the check of it behind it on the compute queue, and waits for nothing.
struct Enqueued {
  Memory to;
  Memory from;
  Line line;
  bool is_written = false;
};

Enqueued enqueue(Member& member, const Line& line, std::uint32_t rank, std::uint32_t ranks, bool is_staged) {
  const PartCounts parts = parts_of(line.operation, rank, ranks, line.root);
  Enqueued made{Memory::create(member, parts.to * line.count),
                Memory::create(member, test::given(rank, 0, parts.from * line.count)), line, parts.to != 0};
  const auto elements = [&](Memory& memory) { return is_staged ? memory.staged() : memory.in_place(); };
  must(test::enqueue(member.collectives, line.operation, elements(made.to), elements(made.from), line.root,
                     rank == line.root, {.after = {member.queue.last()}}));
  return made;
}

void run(Member& member, const std::vector<Line>& lines, std::uint32_t rank, std::uint32_t ranks) {
  std::mt19937 random(rank);
  std::vector<Enqueued> all;
  for (const Line& line : lines) all.push_back(enqueue(member, line, rank, ranks, random() % 2 == 0));
  must(member.collectives.last().wait(60s));
  for (const Enqueued& one : all) {
    if (!one.is_written) continue;
    EXPECT_TRUE(one.to.values(member) == test::expected(one.line.operation, rank, ranks, one.line.root, one.line.count))
        << name(one.line.operation) << " of " << one.line.count << " on rank " << rank;
  }
}

TEST(GroupQueueConcurrency, RandomPrograms) {
  for (const std::uint32_t ranks : {2u, 3u}) {
    auto all = test::members("cpu", ranks);
    const auto lines = program(ranks, ranks, 24);
    on_threads(ranks, [&](std::uint32_t rank) { run(all[rank], lines, rank, ranks); });
  }
}

TEST(GroupQueueConcurrency, QueuesEndWhileOthersWork) {
  for (int round = 0; round < 10; ++round) {
    auto all = test::members("cpu", 3);
    on_threads(3, [&](std::uint32_t rank) {
      Memory memory = Memory::create(all[rank], test::given(rank, 0, 50));
      std::vector<Point> points;
      for (int i = 0; i < 8; ++i) {
        auto point = all[rank].collectives.submit(Collective::all_reduce(memory.in_place(), ReduceOp::max),
                                                  {.after = {all[rank].queue.last()}, .timeout = 20s});
        if (!point) break;  // another rank has gone already
        points.push_back(*point);
      }
      if (rank == static_cast<std::uint32_t>(round) % 3) all[rank].collectives = {};
      for (const Point& point : points) {
        const auto waited = point.wait(30s);
        if (waited) continue;
        EXPECT_TRUE(waited.error().code() == Errc::cancelled || waited.error().code() == Errc::peer_lost)
            << waited.error().text();
      }
    });
  }
}

TEST(GroupQueueConcurrency, OneThreadEnqueuesWhileAnotherWaits) {
  auto all = test::members("cpu", 2);
  static constexpr std::uint64_t operations_each = 50;
  std::atomic<std::uint64_t> told{0};
  const Signal all_told = must(Signal::create());
  on_threads(2, [&](std::uint32_t rank) {
    Memory memory = Memory::create(all[rank], test::given(rank, 0, 20));
    const Signal timeline = all[rank].collectives.last().signal();
    std::thread waiter([&] { must(timeline.wait(operations_each, 30s)); });
    for (std::uint64_t i = 0; i < operations_each; ++i) {
      const Point point = must(all[rank].collectives.submit(Collective::all_reduce(memory.in_place(), ReduceOp::min),
                                                            {.after = {all[rank].queue.last()}}));
      must(point.then(
          [&told, signal = all_told](const Result<void>& result) mutable {  // a copy: the waiter may go first
            EXPECT_TRUE(result);
            if (++told == 2 * operations_each) must(signal.set(1));
          },
          30s));
    }
    waiter.join();
  });
  must(all_told.wait(1, 30s));
  EXPECT_EQ(told, 2 * operations_each);
}

}  // namespace
}  // namespace pintle::collective
