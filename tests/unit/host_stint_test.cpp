#include "host/stint.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <limits>
#include <thread>

#include "base/thread_stack.h"

namespace pintle::host {
namespace {

using namespace std::chrono_literals;

Guest patient() { return Guest(Deadline::max()); }

/// A cost of so many nanoseconds for a group.
struct Known : LoopCost {
  explicit Known(std::int64_t nanoseconds) { learn(Duration(nanoseconds), 1); }
};

/// Runs `function` on a thread with that much stack, which is new: the system's may be larger ones that were used.
template <class Function>
void on_stack(std::size_t bytes, Function function) {
  void* const stack = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack, bytes), 0);
  const auto run = [](void* state) -> void* {
    (*static_cast<Function*>(state))();
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &function), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(stack, bytes);
}

TEST(ThreadStack, ALargerStackHasMoreLeft) {
  std::size_t small = 0, large = 0;
  on_stack(2 << 20, [&] { small = base::stack_left(); });  // a sanitizer takes a megabyte
  on_stack(8 << 20, [&] { large = base::stack_left(); });
  EXPECT_GT(small, 0u);
  EXPECT_LE(small, 2u << 20);
  EXPECT_GT(large, 6u << 20);
  EXPECT_LE(large, 8u << 20);
}

// Not inlined: its bytes would be in the caller's frame already.
[[gnu::noinline]] void expect_less_left(std::size_t before) {
  char bytes[100'000];
  asm volatile("" : : "r"(bytes) : "memory");  // all of them are used
  EXPECT_LE(base::stack_left() + sizeof bytes, before);
}

TEST(ThreadStack, WhatACallerUsesIsGone) { expect_less_left(base::stack_left()); }

TEST(Guest, NeedsHalfAStackAndWhatAGroupNeeds) {
  const std::size_t usual = base::usual_stack();
  ASSERT_GE(usual, 1u << 20);
  const auto part = static_cast<std::uint32_t>(usual / 2);
  on_stack(2 * usual, [&] { EXPECT_TRUE(patient().has_stack(part)); });
  on_stack(usual / 2, [] { EXPECT_FALSE(patient().has_stack(0)); });
  on_stack(usual, [&] { EXPECT_FALSE(patient().has_stack(part)); });
}

TEST(Guest, JoinsWhatTakesASmallPartOfTheTimeThatIsLeft) {
  EXPECT_TRUE(Guest(Clock::now() + 60s).may_join(1e6f, 0));
  EXPECT_FALSE(Guest(Clock::now() + 60s).may_join(30e9f, 0));
  EXPECT_FALSE(Guest(Clock::now() + 60s).may_join(unknown_cost, 0));
  EXPECT_FALSE(Guest(Clock::now() - 1s).may_join(1, 0));
  EXPECT_TRUE(patient().may_join(unknown_cost, 0));
}

class StintTest : public testing::Test {
 protected:
  bool run(Stint& stint, std::uint64_t count, LoopCost& cost, std::uint32_t stack = 0) {
    return stint.run(done, count, cost, stack, [this](std::uint64_t first, std::uint64_t last) {
      EXPECT_EQ(first, ran);
      ran = last;
      if (pause != Duration::zero()) std::this_thread::sleep_for(pause);
    });
  }
  std::uint64_t done = 0;
  std::uint64_t ran = 0;
  Duration pause{};
};

TEST_F(StintTest, RunsWhatIsKnownToBeShort) {
  const Guest guest = patient();
  for (const std::uint64_t count : {1u, 2u, 8u, 9u, 100u}) {
    Known cost(10);
    Stint stint(guest, Stint::Kind::usual);
    done = ran = 0;
    EXPECT_TRUE(run(stint, count, cost));
    EXPECT_EQ(ran, count);
    EXPECT_EQ(done, count);
    EXPECT_TRUE(stint.was_short());
  }
}

TEST_F(StintTest, GoesOnWhereItStopped) {
  const Guest guest = patient();
  Known cost(10);
  Stint stint(guest, Stint::Kind::usual);
  done = ran = 3;
  EXPECT_TRUE(run(stint, 20, cost));
  EXPECT_EQ(ran, 20u);
}

TEST_F(StintTest, BeginsNothingThatIsUnknownOrLong) {
  const Guest guest = patient();
  LoopCost unknown;
  Known long_group(1'000'000), shared(1000);
  for (LoopCost* cost : {&unknown, static_cast<LoopCost*>(&long_group)}) {
    Stint stint(guest, Stint::Kind::usual);
    EXPECT_FALSE(run(stint, 1, *cost));
  }
  Stint stint(guest, Stint::Kind::usual);
  EXPECT_TRUE(run(stint, 1, shared));
  done = ran = 0;
  EXPECT_FALSE(run(stint, 10, shared)) << "several groups that take this long are a worker's";
  EXPECT_EQ(ran, 0u);
}

TEST_F(StintTest, EndsAfterAHundredMicroseconds) {
  const Guest guest = patient();
  Stint stint(guest, Stint::Kind::usual);
  int begun = 0;
  while (stint.may_begin(10'000)) ++begun;
  EXPECT_GE(begun, 8);
  EXPECT_LE(begun, 10);
  EXPECT_FALSE(stint.was_short());
}

TEST_F(StintTest, AShortDeadlineLeavesAnEighth) {
  const Guest guest(Clock::now() + 4ms), late(Clock::now() - 1ms);
  Stint stint(guest, Stint::Kind::usual), none(late, Stint::Kind::usual);
  EXPECT_FALSE(stint.may_begin(600'000));
  EXPECT_FALSE(none.may_begin(1));
}

TEST_F(StintTest, ANeedOfStackIsRefused) {
  const Guest guest = patient();
  Known cost(10);
  Stint stint(guest, Stint::Kind::usual);
  EXPECT_FALSE(run(stint, 1, cost, std::numeric_limits<std::uint32_t>::max()));
}

TEST_F(StintTest, AGroupThatIsNotWhatItWasEndsIt) {
  const Guest guest = patient();
  Known cost(10);
  Stint stint(guest, Stint::Kind::usual);
  pause = 3 * base::coarse_tick;
  EXPECT_FALSE(run(stint, 200, cost));
  EXPECT_EQ(done, 8u);
  EXPECT_EQ(ran, 8u);
  EXPECT_GT(cost.of(1), 1'000'000.0f);
  EXPECT_FALSE(stint.may_begin(1));
}

TEST_F(StintTest, ALessonTeaches) {
  const Guest guest = patient();
  Known cost(400);
  Stint stint(guest, Stint::Kind::lesson);
  pause = 1ms;
  EXPECT_TRUE(run(stint, 1, cost));
  EXPECT_GE(cost.of(1), 1'000'000.0f);
}

}  // namespace
}  // namespace pintle::host
