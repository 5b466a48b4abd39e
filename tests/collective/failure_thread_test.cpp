// A rank that is a thread stalls at each step of an operation, or leaves between two.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collective/failure_cases.h"
#include "collective/group/group_state.h"
#include "pintle/must.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t ranks = 4;
#ifdef __SANITIZE_THREAD__
constexpr std::size_t at_a_time = 4;  // a thread that has not begun by the deadline is late like one that stalls
#else
constexpr std::size_t at_a_time = 12;
#endif
constexpr milliseconds deadline(800);
constexpr milliseconds shrink_timeout = seconds(2);  // half of it waits for the rank that has stalled
constexpr milliseconds margin = seconds(5);
const FailureCase barrier{Operation::barrier, Algorithm::automatic, 0};

/// What is wrong, said by any thread; the first counts.
class Verdict {
 public:
  void expect(bool is_well, const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (!is_well && wrong_.empty()) wrong_ = what;
  }
  [[nodiscard]] std::string wrong() {
    const std::lock_guard lock(mutex_);
    return wrong_;
  }

 private:
  std::mutex mutex_;
  std::string wrong_;
};

/// Runs `work(group)` as each rank of four.
void on_all(std::vector<Group> groups, const std::function<void(Group&)>& work) {
  std::vector<std::thread> threads;
  for (Group& group : groups) {
    threads.emplace_back([&work, own = std::move(group)]() mutable { work(own); });
  }
  for (std::thread& thread : threads) thread.join();
}

/// One rank stops at a step until all others have gone on without it.
class Stall {
 public:
  Stall(const FailureCase& one, std::uint32_t victim, std::uint64_t step) : one_(one), victim_(victim), step_(step) {}

  [[nodiscard]] std::string run() {
    on_all(must(Group::threads(ranks)), [this](Group& group) { take_part(group); });
    const std::string wrong = verdict_.wrong();
    return wrong.empty()
               ? wrong
               : one_.text() + ", rank " + std::to_string(victim_) + " at step " + std::to_string(step_) + ": " + wrong;
  }
  [[nodiscard]] bool has_stalled() const noexcept { return has_stalled_; }

 private:
  void stall() {
    has_stalled_ = true;
    gone_on_.wait(0);
    for (std::uint32_t seen = gone_on_; seen < ranks - 1; seen = gone_on_) gone_on_.wait(seen);
  }

  /// The case and a barrier, at each step of which the victim may stall, and one more, for which it is needed.
  Result<void> operate(Group& group, Deadline& began) {
    const bool is_victim = group.rank() == victim_;
    if (is_victim && step_ == 0) stall();
    GroupState::of(group).observe([&, is_victim](std::uint64_t step) {
      if (is_victim && step == step_) stall();
    });
    Result<void> done;
    for (int i = 0; i < 3 && done; ++i) {
      if (i == 2) GroupState::of(group).observe({});
      began = Clock::now();
      done = run_case(group, i == 0 ? one_ : barrier, {.timeout = deadline});
    }
    return done;
  }

  void take_part(Group& group) {
    Deadline began{};
    const auto done = operate(group, began);
    if (group.rank() == victim_) return come_back(group);
    if (!done) go_on(group, done.error(), Clock::now() - began);
    ++gone_on_;
    gone_on_.notify_all();
    verdict_.expect(has_stalled_ || done, done ? "" : done.error().text());
  }

  void go_on(Group& group, const Error& error, Duration took) {
    const std::string text = error.text();
    verdict_.expect(error.code() == Errc::timeout, "another code: " + text);
    verdict_.expect(text.starts_with("Rank " + std::to_string(victim_) + " of [Group"), "another rank: " + text);
    verdict_.expect(names_operation(text, one_), "another operation: " + text);
    verdict_.expect(took < deadline + margin, "late: " + text);
    auto smaller = group.shrink(shrink_timeout);
    verdict_.expect(smaller.has_value(), "no smaller group");
    if (!smaller) return;
    verdict_.expect(smaller->ranks() == ranks - 1 && smaller->generation() == 2, "another smaller group");
    const auto worked = works(*smaller);
    verdict_.expect(worked.has_value(), worked ? "" : worked.error().text());
  }

  /// What it still finds there may be all that its last operation needs; the group has failed all the same.
  void come_back(Group& group) {
    if (!has_stalled_) return;
    verdict_.expect(!group.health(), "the victim is told nothing");
    const auto smaller = group.shrink(shrink_timeout);
    const bool is_refused = !smaller && smaller.error().code() == Errc::peer_lost;
    verdict_.expect(is_refused && smaller.error().text().contains("came too late"), "the victim is not refused");
  }

  const FailureCase one_;
  const std::uint32_t victim_;
  const std::uint64_t step_;
  Verdict verdict_;
  std::atomic<bool> has_stalled_ = false;
  std::atomic<std::uint32_t> gone_on_ = 0;
};

/// For each case and rank, steps from 0 on until one is not reached.
void sweep(const std::vector<FailureCase>& cases) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::uint64_t> stalls = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < at_a_time; ++i) {
    threads.emplace_back([&] {
      for (std::size_t index = next++; index < cases.size() * ranks; index = next++) {
        for (std::uint64_t step = 0;; ++step) {
          Stall stall(cases[index / ranks], static_cast<std::uint32_t>(index % ranks), step);
          EXPECT_EQ(stall.run(), "");
          if (!stall.has_stalled()) break;
          ++stalls;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(stalls, 2 * cases.size() * ranks);
}

TEST(FailureThreadConcurrency, StalledAtAnyStep) { sweep(small_cases()); }

TEST(FailureThreadConcurrency, StalledAtAnyStepInEachOthersMemory) {
  sweep({{Operation::all_reduce, Algorithm::automatic, several_pieces},
         {Operation::broadcast, Algorithm::direct, several_pieces},
         {Operation::all_gather, Algorithm::automatic, several_pieces}});
}

TEST(FailureThreadConcurrency, WhoLeavesBetweenOperationsIsLostToTheNext) {
  for (std::uint32_t victim = 0; victim < ranks; ++victim) {
    for (const FailureCase& one : small_cases()) {
      on_all(must(Group::threads(ranks)), [&](Group& group) {
        if (group.rank() == victim) return;  // and with it goes the group
        auto done = run_case(group, one, {.timeout = seconds(10)});
        if (done) done = group.run(Collective::barrier(), seconds(10));
        ASSERT_FALSE(done) << one.text();
        EXPECT_EQ(done.error().code(), Errc::peer_lost) << done.error().text();
        const std::string text = done.error().text();
        EXPECT_TRUE(text.starts_with("Rank " + std::to_string(victim) + " of [Group")) << text;
        EXPECT_TRUE(text.contains("it has left the group")) << text;
        EXPECT_TRUE(names_operation(text, one)) << text;
        EXPECT_TRUE(group.health().error().same_origin(done.error()));
      });
    }
  }
}

TEST(FailureThreadConcurrency, HealthTellsWhatOthersHaveFound) {
  std::atomic<bool> has_failed = false;
  on_all(must(Group::threads(3)), [&](Group& group) {
    if (group.rank() == 2) return has_failed.wait(false);
    if (group.rank() == 0) {
      std::vector<int> data(1);
      EXPECT_EQ(group.run(Collective::recv(data, 2), milliseconds(30)).error().code(), Errc::timeout);
      has_failed = true;
      return has_failed.notify_all();
    }
    has_failed.wait(false);
    const auto health = group.health();
    ASSERT_FALSE(health);
    EXPECT_TRUE(health.error().text().starts_with("Rank 2 of ")) << health.error().text();
    EXPECT_TRUE(health.error().text().contains("send to recv 1 (i32, 1 elements, 4 bytes)")) << health.error().text();
  });
}

}  // namespace
}  // namespace pintle::collective
