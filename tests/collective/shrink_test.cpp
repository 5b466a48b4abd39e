// After a failure: the ranks that are there, as a smaller group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "collective/failure_cases.h"
#include "collective/job.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

/// Ranks that end at once, one list after the other; everybody else goes on each time.
using Deaths = std::vector<std::vector<std::uint32_t>>;

[[nodiscard]] bool has(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

/// Kills itself in its turn (ranks count in the first group); the size of the last group goes to the report.
void survive(Group& first, Report& report, const Deaths& deaths) {
  const std::uint32_t name = first.rank();
  Group group = std::move(first);
  for (const auto& dying : deaths) {
    if (has(dying, name)) ::raise(SIGKILL);
    const auto failed = works(group);
    if (failed || failed.error().code() != Errc::peer_lost) return report.wrong.set("a death is not heard of");
    auto smaller = group.shrink(seconds(10));
    if (!smaller) return report.wrong.set(smaller.error().text());
    group = *std::move(smaller);
    if (const auto worked = works(group); !worked) return report.wrong.set(worked.error().text());
  }
  report.words[0] = group.ranks();
  report.words[1] = group.generation();
  report.words[2] = group.rank();
}

void expect_survivors(std::uint32_t ranks, const Deaths& deaths, const std::vector<std::uint32_t>& survivors) {
  Job job(ranks);
  job.start_all([&](Group& group, Report& report) { survive(group, report, deaths); });
  for (std::uint32_t i = 0; i < survivors.size(); ++i) {
    EXPECT_EQ(job.wrong_with(survivors[i]), "");
    EXPECT_EQ(job.report(survivors[i]).words[0], survivors.size());
    EXPECT_EQ(job.report(survivors[i]).words[1], 1 + deaths.size());
    EXPECT_EQ(job.report(survivors[i]).words[2], i);  // their order is kept
  }
}

TEST(Shrink, AnyRankMayDie) {
  for (std::uint32_t victim = 0; victim < 4; ++victim) {
    std::vector<std::uint32_t> survivors{0, 1, 2, 3};
    std::erase(survivors, victim);
    expect_survivors(4, {{victim}}, survivors);
  }
}

TEST(Shrink, TwoDieAtOnce) {
  expect_survivors(4, {{0, 1}}, {2, 3});
  expect_survivors(4, {{0, 3}}, {1, 2});
  expect_survivors(4, {{1, 2}}, {0, 3});
}

TEST(Shrink, AgainAndAgain) {
  expect_survivors(4, {{2}, {0}}, {1, 3});
  expect_survivors(4, {{0}, {1}, {2}}, {3});
  expect_survivors(6, {{0, 5}, {3}, {1}}, {2, 4});
}

/// One dies while the others shrink: between the roll call and the end, or just before or after.
TEST(Shrink, ARankThatDiesMeanwhileIsNoHang) {
  const auto wrong = run_trials(40, 4, [](std::size_t index) -> std::string {
    Job job(4);
    job.start_all([&](Group& group, Report& report) {
      if (group.rank() == 3) ::raise(SIGKILL);
      static_cast<void>(works(group));
      report.words[0] = 1;
      for (int i = 0; i < 3; ++i) {
        auto smaller = group.shrink(seconds(2));
        if (smaller && works(*smaller)) return;
        if (smaller) group = *std::move(smaller);
      }
      report.wrong.set("there is no group that works");
    });
    if (!comes([&] { return job.report(2).words[0] == 1; })) return "no failure is heard of";
    std::this_thread::sleep_for(std::chrono::microseconds(50 * index));
    job.send(2, SIGKILL);
    const auto first = job.wrong_with(0), second = job.wrong_with(1);
    return first.empty() ? second : first;
  });
  for (const std::string& text : wrong) ADD_FAILURE() << text;
}

TEST(ShrinkConcurrency, AHealthyGroupIsGivenUpForAnEqualOne) {
  std::vector<std::thread> threads;
  for (Group& group : must(Group::threads(3, {.label = "all"}))) {
    threads.emplace_back([own = std::move(group)]() mutable {
      auto same = own.shrink(seconds(10));
      ASSERT_TRUE(same) << same.error().text();
      EXPECT_EQ(same->ranks(), 3u);
      EXPECT_EQ(same->rank(), own.rank());
      EXPECT_EQ(same->generation(), 2u);
      EXPECT_THAT(same->text(), HasSubstr("\"all\""));
      EXPECT_TRUE(works(*same));
      const auto given_up = own.run(Collective::barrier());
      ASSERT_FALSE(given_up);
      EXPECT_EQ(given_up.error().code(), Errc::cancelled);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ShrinkConcurrency, WhoIsLateIsLeftOut) {
  std::atomic<int> decided = 0;
  std::vector<std::thread> threads;
  for (Group& group : must(Group::threads(3))) {
    threads.emplace_back([&, own = std::move(group)]() mutable {
      while (own.rank() == 0 && decided < 2) std::this_thread::yield();
      auto smaller = own.shrink(milliseconds(200));
      if (own.rank() != 0) {
        ++decided;
        ASSERT_TRUE(smaller) << smaller.error().text();
        EXPECT_EQ(smaller->ranks(), 2u);
        EXPECT_TRUE(works(*smaller));
        return;
      }
      ASSERT_FALSE(smaller);
      EXPECT_EQ(smaller.error().code(), Errc::peer_lost);
      EXPECT_THAT(smaller.error().text(), HasSubstr("goes on without rank 0, which came too late."));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Shrink, TriesEnd) {
  auto groups = must(Group::threads(2));
  for (std::uint64_t i = 0; i < Layout::most_shrinks; ++i) {
    auto alone = groups[0].shrink(milliseconds(10));
    ASSERT_TRUE(alone) << alone.error().text();
    EXPECT_EQ(alone->ranks(), 1u);
    EXPECT_TRUE(works(*alone));
  }
  const auto refused = groups[0].shrink(milliseconds(10));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(refused.error().text(), HasSubstr("has been shrunk 8 times, which is the limit."));
}

TEST(Shrink, AnEmptyGroupIsRefused) {
  Group none;
  EXPECT_EQ(none.shrink().error().code(), Errc::invalid_argument);
  EXPECT_EQ(none.rebuild().error().code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace pintle::collective
