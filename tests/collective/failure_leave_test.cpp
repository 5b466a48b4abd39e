// What ranks leave behind: nothing, and nobody in doubt. A rank that leaves after its part is done does no harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "collective/failure_cases.h"
#include "collective/group/waiting.h"
#include "collective/job.h"
#include "collective/turned_clock.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

/// Other programs have files there, too.
[[nodiscard]] std::set<std::string> shared_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().string().contains("pintle")) names.insert(entry.path().string());
  }
  return names;
}

/// What a process has mapped.
[[nodiscard]] std::string maps_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FailureLeave, NothingIsLeftWhenAllAreKilled) {
  const auto before = shared_files();
  std::minstd_rand random(5);
  for (std::uint32_t run = 0; run < 10; ++run) {
    Job job(4);
    const std::uint64_t last = 50 + random() % 500;
    job.start_all([&](Group& group, Report& report) {
      GroupState::of(group).observe([&](std::uint64_t step) { report.steps = step; });
      while (run_case(group, {Operation::all_reduce, Algorithm::ring, 1000}, {})) continue;
    });
    ASSERT_TRUE(comes([&] { return job.report(run % 4).steps >= last; }));
    const std::string maps = maps_of(job.process(run % 4));
    EXPECT_THAT(maps, HasSubstr("memfd:pintle-window (deleted)"));
    EXPECT_THAT(maps, Not(HasSubstr("/dev/shm")));  // memory without a name goes with its processes
    for (std::uint32_t rank = 0; rank < 4; ++rank) job.send(rank, SIGKILL);
    for (std::uint32_t rank = 0; rank < 4; ++rank) job.reap(rank);
  }
  EXPECT_EQ(shared_files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child is left
}

TEST(FailureLeave, ProcessesThatFinishEarlyDoNoHarm) {
  for (const auto& cases : {small_cases(), large_cases()}) {
    for (const FailureCase& one : cases) {
      for (int run = 0; run < 5; ++run) {
        Job job(4);
        job.start_all([&](Group& group, Report& report) {
          if (const auto done = run_case(group, one, {.timeout = seconds(10)}); !done)
            report.wrong.set(done.error().text());
        });
        EXPECT_EQ(job.wrong_with_all(), "") << one.text();
      }
    }
  }
}

TEST(FailureLeaveConcurrency, ThreadsThatFinishEarlyDoNoHarm) {
  std::vector<FailureCase> cases = small_cases();
  cases.push_back({Operation::all_reduce, Algorithm::direct, several_pieces});
  cases.push_back({Operation::all_reduce, Algorithm::ring, several_pieces});
  for (const FailureCase& one : cases) {
    for (int run = 0; run < 20; ++run) {
      std::vector<std::thread> threads;
      for (Group& group : must(Group::threads(4))) {
        threads.emplace_back([&one, own = std::move(group)]() mutable {
          const auto done = run_case(own, one, {.timeout = seconds(10)});
          EXPECT_TRUE(done) << done.error().text();
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  }
}

/// A message that comes after a rank has looked for it, and before it looks for ranks that have left, is not lost.
TEST(FailureLeave, WhatWasSentBeforeLeavingCounts) {
  auto groups = must(Group::threads(2));
  GroupState& state = GroupState::of(groups[0]);
  Call call;
  call.operation = Operation::barrier;
  const auto running = must(state.begin(call));
  Waiting waiting(state, turned_clock() + seconds(10), Waiting::Purpose::operation, turned_clock);
  const std::uint32_t other = 1;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_FALSE(state.mailbox().has_come(other));
    if (i > 2000) break;  // past what is spun before the first look
    ASSERT_TRUE(waiting.pause(std::span(&other, 1)));
  }
  ASSERT_TRUE(groups[1].run(Collective::send(std::vector<int>{1}, 0)));
  groups.pop_back();
  turn_clock(milliseconds(30));  // the next look is due
  ASSERT_TRUE(waiting.pause(std::span(&other, 1)));
  ASSERT_TRUE(state.mailbox().has_come(other));
}

TEST(FailureLeave, AMessageOfWhoHasLeftIsReceived) {
  auto groups = must(Group::threads(2));
  const std::vector<int> sent{1, 2, 3};
  ASSERT_TRUE(groups[1].run(Collective::send(sent, 0)));
  groups.pop_back();
  std::vector<int> received(3);
  ASSERT_TRUE(groups[0].run(Collective::recv(received, 1)));
  EXPECT_EQ(received, sent);
  const auto more = groups[0].run(Collective::recv(received, 1));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code(), Errc::peer_lost);
  EXPECT_THAT(more.error().text(), HasSubstr("lost during send to recv 2 (i32, 3 elements, 12 bytes): it has left"));
}

TEST(FailureLeave, WhoEndsBeforeItJoinsIsNamedAtOnce) {
  Job job(3);
  for (const std::uint32_t rank : {0u, 2u}) {
    job.start(rank, [&, rank](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) {
      const auto group = join(rendezvous, rank);
      if (!group) report.failure.set(group.error().text());
    });
  }
  job.rendezvous()->mark_gone(1, {.code = 7});
  EXPECT_EQ(job.wrong_with_all(), "");
  for (const std::uint32_t rank : {0u, 2u}) {
    EXPECT_EQ(job.report(rank).failure.get(), "Rank 1 is lost: it has ended with exit code 7.");
  }
}

TEST(FailureLeave, WhoNeverJoinsIsNamedAtTheDeadline) {
  Job job(3);
  for (const std::uint32_t rank : {0u, 2u}) {
    job.start(rank, [&, rank](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) {
      const auto group = join(rendezvous, rank, milliseconds(200));
      if (!group) report.failure.set(group.error().text());
    });
  }
  EXPECT_EQ(job.wrong_with_all(), "");
  // The first whose deadline passes is missing for the others from then on.
  const std::string first(job.report(0).failure.get()), second(job.report(2).failure.get());
  EXPECT_TRUE(first.contains("missing: rank 1.") || second.contains("missing: rank 1.")) << first << second;
  for (const std::string& text : {first, second}) {
    EXPECT_THAT(text, HasSubstr("The deadline passes while 3 ranks meet in generation 1; missing: rank"));
  }
}

}  // namespace
}  // namespace pintle::collective
