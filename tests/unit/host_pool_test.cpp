#include "host/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "host/team.h"
#include "pintle/must.h"

namespace pintle::host {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

std::unique_ptr<Pool> pool_of(std::uint32_t threads, Duration spin = microseconds(50)) {
  return must(Pool::create({threads, spin}));
}

Deadline far() { return Clock::now() + seconds(60); }

/// Long enough that only a hang makes it false.
bool comes_true(const std::function<bool()>& condition) {
  const Deadline give_up = far();
  while (!condition()) {
    if (Clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

/// A task that runs a function; one run at a time.
class Call final : public Pool::Task {
 public:
  explicit Call(std::function<void(Pool::Worker&)> function) : function_(std::move(function)) {}
  void run(Pool::Worker& worker) noexcept override {
    function_(worker);
    ++runs;
  }
  std::atomic<int> runs{0};

 private:
  std::function<void(Pool::Worker&)> function_;
};

TEST(Team, OneMemberRunsEverythingOnce) {
  for (const std::uint64_t count : {1u, 2u, 3u, 16u, 17u, 1000u}) {
    for (const std::uint32_t parts : {1u, 2u, 7u, 64u}) {
      Team team;
      std::vector<int> hits(count);
      const auto body = [](const void* context, std::uint64_t first, std::uint64_t last) {
        auto& all = *static_cast<std::vector<int>*>(const_cast<void*>(context));
        for (std::uint64_t index = first; index < last; ++index) ++all[index];
      };
      const std::atomic<bool> stop{false};
      team.open({nullptr, 0, count, body, &hits, nullptr}, parts);
      EXPECT_TRUE(team.work(0, {&stop}, [](Duration) {}));
      team.close(Duration::zero(), stop);
      EXPECT_EQ(hits, std::vector<int>(count, 1)) << count << " in " << parts;
    }
  }
}

TEST(Team, NobodyJoinsAClosedTeam) {
  Team team;
  EXPECT_EQ(team.join(), 0u);
  team.open({nullptr, 0, 1, [](const void*, std::uint64_t, std::uint64_t) {}, nullptr, nullptr}, 1);
  EXPECT_EQ(team.join(), 1u);
  team.leave();
  const std::atomic<bool> stop{true};
  team.close(Duration::zero(), stop);
  EXPECT_EQ(team.join(), 0u);
}

TEST(Team, AMemberLeavesAtItsDeadline) {
  Team team;
  std::uint64_t run = 0;
  const auto body = [](const void* context, std::uint64_t first, std::uint64_t last) {
    *static_cast<std::uint64_t*>(const_cast<void*>(context)) += last - first;
  };
  const std::atomic<bool> stop{false};
  team.open({nullptr, 0, 1000, body, &run, nullptr}, 1);
  EXPECT_FALSE(team.work(0, {&stop, Clock::now() - seconds(1)}, [](Duration) {}));
  EXPECT_EQ(run, 1u);  // one claim, and its clock has passed
  team.close(Duration::zero(), stop);
  EXPECT_EQ(run, 1000u);  // the opener runs what is left
}

TEST(HostLoopCost, DearPiecesAreBelievedAtOnceAndCheapOnesByAndBy) {
  LoopCost cost;
  EXPECT_EQ(cost.of(1), std::numeric_limits<float>::infinity());
  cost.learn(Duration(800), 8);
  EXPECT_EQ(cost.of(2), 200.0f);
  cost.learn(Duration(20), 1);
  EXPECT_EQ(cost.of(1), 90.0f);
  cost.learn(Duration(1000), 1);
  EXPECT_EQ(cost.of(1), 1000.0f);
}

TEST(PoolConcurrency, AnExpectedCostChangesNothingButWhoRuns) {
  const auto pool = pool_of(4);
  for (const std::int64_t expected : {1, 1000, 1000000}) {
    LoopCost cost;
    cost.learn(Duration(expected), 1);
    for (const std::uint64_t count : {2u, 5u, 1000u}) {
      std::vector<std::atomic<int>> hits(count);
      Call call([&](Pool::Worker& worker) {
        worker.spread(
            nullptr, count,
            [&](std::uint64_t first, std::uint64_t last) {
              for (std::uint64_t index = first; index < last; ++index) ++hits[index];
            },
            &cost);
      });
      pool->make_ready(call);
      ASSERT_TRUE(comes_true([&] { return call.runs == 1; }));
      for (const auto& hit : hits) ASSERT_EQ(hit, 1);
    }
  }
}

TEST(PoolConcurrency, EveryReadyTaskRunsOnce) {
  for (const std::uint32_t threads : {1u, 2u, 5u}) {
    for (const Duration spin : {Duration::zero(), Duration(microseconds(50))}) {
      const auto pool = pool_of(threads, spin);
      std::vector<std::unique_ptr<Call>> calls;
      for (int index = 0; index < 200; ++index) calls.push_back(std::make_unique<Call>([](Pool::Worker&) {}));
      for (const auto& call : calls) pool->make_ready(*call);
      for (const auto& call : calls) ASSERT_TRUE(comes_true([&] { return call->runs == 1; }));
    }
  }
}

TEST(PoolConcurrency, ATaskThatIsReadyAgainRunsAgain) {
  const auto pool = pool_of(2, Duration::zero());
  Call call([](Pool::Worker&) {});
  for (int round = 1; round <= 2000; ++round) {
    pool->make_ready(call);
    ASSERT_TRUE(comes_true([&] { return call.runs == round; }));
  }
}

TEST(PoolConcurrency, ABlockedTaskDoesNotHoldUpTheOthers) {
  const auto pool = pool_of(3);
  std::atomic<bool> open{false};
  Call first([&](Pool::Worker&) { EXPECT_TRUE(comes_true([&] { return open.load(); })); });
  Call second([&](Pool::Worker&) { EXPECT_TRUE(comes_true([&] { return open.load(); })); });
  Call third([&](Pool::Worker&) { open = true; });
  pool->make_ready(first);
  pool->make_ready(second);
  pool->make_ready(third);
  EXPECT_TRUE(comes_true([&] { return first.runs + second.runs + third.runs == 3; }));
}

TEST(PoolConcurrency, SpreadRunsEveryIndexOnce) {
  const auto pool = pool_of(4);
  for (const std::uint64_t count : {1u, 2u, 3u, 5u, 64u, 1000u, 20000u}) {
    std::vector<std::atomic<int>> hits(count);
    Call call([&](Pool::Worker& worker) {
      worker.spread(nullptr, count, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t index = first; index < last; ++index) ++hits[index];
      });
    });
    pool->make_ready(call);
    ASSERT_TRUE(comes_true([&] { return call.runs == 1; }));
    for (const auto& hit : hits) ASSERT_EQ(hit, 1);
  }
}

TEST(PoolConcurrency, AVisitorJoinsALoop) {
  const auto pool = pool_of(2, seconds(60));
  std::atomic<int> inside{0};
  std::atomic<bool> done{false};
  Call call([&](Pool::Worker& worker) {
    // Both pieces are inside at once, or neither ends.
    worker.spread(&call, 2, [&](std::uint64_t, std::uint64_t) {
      ++inside;
      EXPECT_TRUE(comes_true([&] { return inside == 2; }));
    });
    done = true;
  });
  pool->make_ready(call);
  EXPECT_TRUE(comes_true([&] {
    pool->visit(&call, Guest(far()), [&] { return done.load(); });
    return done.load();  // a visitor may leave before, where it would be one thread too many
  }));
  EXPECT_TRUE(comes_true([&] { return call.runs == 1; }));  // `done` is said from inside the task, which outlives it
}

TEST(PoolConcurrency, AVisitorsDeadlineIsSeenBetweenPieces) {
  const auto pool = pool_of(2, seconds(60));
  std::atomic<bool> visitor_left{false};
  const std::thread::id visitor = std::this_thread::get_id();
  std::atomic<int> visits{0};
  Call call([&](Pool::Worker& worker) {
    worker.spread(&call, 1000, [&](std::uint64_t, std::uint64_t) {
      if (std::this_thread::get_id() == visitor) {
        ++visits;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      } else {
        EXPECT_TRUE(comes_true([&] { return visitor_left.load(); }));
      }
    });
  });
  pool->make_ready(call);
  pool->visit(&call, Guest(Clock::now() + std::chrono::milliseconds(20)), [] { return false; });
  EXPECT_EQ(call.runs, 0);  // nobody but this thread lets it end
  EXPECT_LT(visits, 1000);
  visitor_left = true;
  EXPECT_TRUE(comes_true([&] { return call.runs == 1; }));
}

TEST(PoolConcurrency, AVisitorNeverRunsTasks) {
  const auto pool = pool_of(2);
  std::atomic<bool> open{false};
  std::atomic<bool> misused{false};
  const std::thread::id visitor = std::this_thread::get_id();
  const auto blocked = [&](Pool::Worker&) {
    if (std::this_thread::get_id() == visitor) misused = true;
    EXPECT_TRUE(comes_true([&] { return open.load(); }));
  };
  Call first(blocked), second(blocked), third(blocked);
  for (Call* call : {&first, &second, &third}) pool->make_ready(*call);
  pool->visit(nullptr, Guest(Clock::now() + std::chrono::milliseconds(5)), [] { return false; });
  open = true;
  EXPECT_TRUE(comes_true([&] { return first.runs + second.runs + third.runs == 3; }));
  EXPECT_FALSE(misused);
}

TEST(PoolConcurrency, DestructionStopsALongLoop) {
  auto pool = pool_of(2);
  std::atomic<std::uint64_t> pieces{0};
  std::atomic<bool> stopped{false};
  Call call([&](Pool::Worker& worker) {
    while (!worker.is_stopping()) {
      worker.spread(nullptr, std::uint64_t{1} << 40, [&](std::uint64_t, std::uint64_t) { ++pieces; });
    }
    stopped = true;
  });
  pool->make_ready(call);
  EXPECT_TRUE(comes_true([&] { return pieces > 10; }));
  pool.reset();
  EXPECT_TRUE(stopped);
}

TEST(PoolConcurrency, DestructionForgetsWhatIsNotStarted) {
  auto pool = pool_of(1);
  std::atomic<bool> started{false};
  Call busy([&](Pool::Worker& worker) {
    started = true;
    EXPECT_TRUE(comes_true([&] { return worker.is_stopping(); }));
  });
  Call waiting([](Pool::Worker&) {});
  pool->make_ready(busy);
  EXPECT_TRUE(comes_true([&] { return started.load(); }));
  pool->make_ready(waiting);
  pool.reset();
  EXPECT_EQ(busy.runs, 1);
  EXPECT_EQ(waiting.runs, 0);
}

TEST(PoolConcurrency, ManyTasksThatSpreadAndVisitorsThatHelp) {
  const auto pool = pool_of(3);
  std::atomic<std::uint64_t> sum{0};
  std::vector<std::unique_ptr<Call>> calls;
  for (int index = 0; index < 100; ++index) {
    calls.push_back(std::make_unique<Call>([&](Pool::Worker& worker) {
      worker.spread(nullptr, 50, [&](std::uint64_t first, std::uint64_t last) { sum += last - first; });
    }));
  }
  std::vector<std::thread> visitors;
  for (int index = 0; index < 3; ++index) {
    visitors.emplace_back([&] { pool->visit(nullptr, Guest(far()), [&] { return sum == 5000; }); });
  }
  for (const auto& call : calls) pool->make_ready(*call);
  EXPECT_TRUE(comes_true([&] { return sum == 5000; }));
  for (std::thread& visitor : visitors) visitor.join();
  for (const auto& call : calls) ASSERT_TRUE(comes_true([&] { return call->runs == 1; }));
}

}  // namespace
}  // namespace pintle::host
