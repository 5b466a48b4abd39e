// A group has one user at a time: a thread, or a GroupQueue. Another one is refused, and the first goes on.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "collective/group/group_state.h"
#include "collective/group_queue_support.h"
#include "collective/ranks.h"
#include "pintle/group.h"
#include "pintle/group_queue.h"
#include "pintle/must.h"
#include "pintle/symmetric.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;

template <class T>
void expect_in_use(const Result<T>& refused, const Group& group) {
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_EQ(refused.error().message(),
            group.text() + " is in use by another thread or a GroupQueue: one operation at a time.");
}

void expect_all_refused(Group& group) {
  std::array<int, 2> data{};
  expect_in_use(group.run(Collective::barrier()), group);
  expect_in_use(group.run(Collective::all_reduce(data, ReduceOp::sum)), group);
  expect_in_use(group.run(Collective::send(data, 1)), group);
  expect_in_use(group.run(Collective::recv(data, 1)), group);
  expect_in_use(group.split(0), group);
  expect_in_use(group.shrink(milliseconds(1)), group);
  expect_in_use(group.rebuild(milliseconds(1)), group);
  expect_in_use(SymmetricHeap::create(group, 4096), group);
  EXPECT_TRUE(group.health());
}

void expect_works(std::vector<Group>& groups) {
  expect_success(on_each(groups, [](Group& group) { return group.run(Collective::barrier()); }));
}

TEST(GroupUseConcurrency, WhileAnotherThreadsOperationRuns) {
  auto groups = must(Group::threads(2));
  int received = 0;
  std::jthread waits([&] { EXPECT_TRUE(groups[0].run(Collective::recv(std::span(&received, 1), 1))); });
  while (GroupState::of(groups[1]).status_of(0)->awaits == 0) std::this_thread::yield();
  expect_all_refused(groups[0]);
  const int sent = 7;
  ASSERT_TRUE(groups[1].run(Collective::send(std::span(&sent, 1), 0)));
  waits.join();
  EXPECT_EQ(received, 7);
  EXPECT_EQ(groups[0].statistics().operations, 1u);
  expect_works(groups);
}

TEST(GroupUseConcurrency, WhileAGroupQueueLives) {
  auto groups = must(Group::threads(2));
  const Device device = must(open("cpu"));
  std::vector<SymmetricHeap> heaps(2);
  std::vector<SymmetricSignals> signals(2);
  expect_success(on_each(groups, [&](Group& group) -> Result<void> {
    PINTLE_ASSIGN(heap, SymmetricHeap::create(group, 4096));
    PINTLE_ASSIGN(made, heap.allocate_signals(1));
    heaps[group.rank()] = std::move(heap);
    signals[group.rank()] = made;
    return {};
  }));
  {
    GroupQueue queue = must(GroupQueue::create(groups[0], device));
    expect_all_refused(groups[0]);
    expect_in_use(GroupQueue::create(groups[0], device), groups[0]);
    expect_in_use(heaps[0].wait_signal(signals[0].at(0), 1, milliseconds(1)), groups[0]);
    expect_in_use(heaps[0].barrier(milliseconds(1)), groups[0]);
    GroupQueue other = must(GroupQueue::create(groups[1], device));
    const Point done = must(queue.submit(Collective::barrier()));
    must(other.submit(Collective::barrier()));
    EXPECT_TRUE(done.wait());
  }
  expect_works(groups);
}

TEST(GroupUseConcurrency, UntilAGroupQueueHasFailed) {
  auto groups = must(Group::threads(2));
  const Device device = must(open("cpu"));
  GroupQueue queue = must(GroupQueue::create(groups[0], device));
  const Point late = must(queue.submit(Collective::barrier(), {.timeout = milliseconds(20)}));
  EXPECT_EQ(late.wait().error().code(), Errc::timeout);
  const auto smaller = groups[0].shrink(milliseconds(200));
  ASSERT_TRUE(smaller) << smaller.error().text();
  EXPECT_EQ(smaller->ranks(), 1u);
}

/// Threads that call at the same time: each operation runs, or is refused; none is lost or runs twice.
TEST(GroupUseConcurrency, ManyThreadsOfOneRank) {
  auto groups = must(Group::threads(1));
  std::atomic<std::uint64_t> done = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          const auto ended = groups[0].run(Collective::barrier());
          if (ended) ++done;
          else expect_in_use(ended, groups[0]);
        }
      });
    }
  }
  EXPECT_GT(done, 0u);
  EXPECT_EQ(groups[0].statistics().operations, done);
}

}  // namespace
}  // namespace pintle::collective
