// After a failure: the same number of ranks again, with new processes in the places of the dead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/child_process.h"
#include "base/settings.h"
#include "base/shared_memory.h"
#include "collective/failure_cases.h"
#include "collective/group/layout.h"
#include "collective/job.h"
#include "collective/shm/shared_transport.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

/// Until its group has the last generation: each failure is answered by a group of all.
void rebuild_up_to(std::uint64_t last, Group& first, Report& report) {
  Group group = std::move(first);
  while (true) {
    report.words[0] = group.generation();
    if (const auto worked = works(group); !worked) return report.wrong.set(worked.error().text());
    report.words[1] = group.generation();
    if (group.generation() == last) return;
    Result<void> done;
    while (done) done = group.run(Collective::barrier(), seconds(10));
    if (done.error().code() != Errc::peer_lost) return report.wrong.set(done.error().text());
    auto rebuilt = group.rebuild(seconds(10));
    if (!rebuilt) return report.wrong.set(rebuilt.error().text());
    group = *std::move(rebuilt);
  }
}

/// Kills ranks one after the other, each when all work, and starts another in its place.
void expect_rebuilt(const std::vector<std::uint32_t>& victims) {
  Job job(3);
  const std::uint64_t last = 1 + victims.size();
  job.start_all([&](Group& group, Report& report) { rebuild_up_to(last, group, report); });
  for (std::uint64_t i = 0; i < victims.size(); ++i) {
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      ASSERT_TRUE(comes([&] { return job.report(rank).words[1] == i + 1; })) << job.report(rank).wrong.get();
    }
    job.send(victims[i], SIGKILL);
    job.reap(victims[i]);
    job.rendezvous()->vacate(victims[i]);
    job.start(victims[i], [&, rank = victims[i]](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) {
      Result<Group> group = join(rendezvous, rank);
      if (group) rebuild_up_to(last, *group, report);
      else report.wrong.set(group.error().text());
    });
  }
  EXPECT_EQ(job.wrong_with_all(), "");
  for (std::uint32_t rank = 0; rank < 3; ++rank) EXPECT_EQ(job.report(rank).words[1], last);
}

TEST(Rebuild, AnotherProcessTakesADeadOnesPlace) {
  for (std::uint32_t victim = 0; victim < 3; ++victim) expect_rebuilt({victim});
}

TEST(Rebuild, AgainAndAgain) { expect_rebuilt({1, 1, 0, 2}); }

/// What rank 0 does here while rank 1 dies: a rebuild that fails may be tried again.
void try_twice(Group& group, Report& report) {
  static_cast<void>(works(group));
  const auto missing = group.rebuild(milliseconds(100));
  report.code = missing ? Errc::internal : missing.error().code();
  report.failure.set(missing ? "" : missing.error().text());
  report.words[0] = 1;
  auto rebuilt = group.rebuild(seconds(10));
  if (!rebuilt) return report.wrong.set(rebuilt.error().text());
  if (rebuilt->generation() != 2) return report.wrong.set("another generation");
  if (const auto worked = works(*rebuilt); !worked) report.wrong.set(worked.error().text());
}

TEST(Rebuild, WhoIsMissingIsNamedAndMayComeLater) {
  Job job(2);
  job.start_all([&](Group& group, Report& report) {
    if (group.rank() == 1) ::raise(SIGKILL);
    try_twice(group, report);
  });
  ASSERT_TRUE(comes([&] { return job.report(0).words[0] == 1; }));
  EXPECT_EQ(job.report(0).code, Errc::timeout);
  EXPECT_EQ(job.report(0).failure.get(), "The deadline passes while 2 ranks meet in generation 2; missing: rank 1.");
  job.reap(1);
  job.rendezvous()->vacate(1);
  job.start(1, [&](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) {
    Result<Group> group = join(rendezvous, 1);
    if (group) static_cast<void>(works(*group));
    else report.wrong.set(group.error().text());
  });
  EXPECT_EQ(job.wrong_with_all(), "");
}

TEST(Rebuild, ARankThatIsNotStartedAgainIsNamedAtOnce) {
  Job job(2);
  job.start_all([&](Group& group, Report& report) {
    if (group.rank() == 1) ::raise(SIGKILL);
    static_cast<void>(works(group));
    job.rendezvous()->mark_gone(1, {.signal = SIGKILL});
    const auto rebuilt = group.rebuild(seconds(30));
    if (!rebuilt) report.failure.set(rebuilt.error().text());
  });
  EXPECT_EQ(job.wrong_with(0), "");
  EXPECT_EQ(job.report(0).failure.get(),
            "Rank 1 is lost: it was ended by signal 9 (kill, which for want of memory the system sends too).");
}

/// The generation that a rank has arrived for, as its board says.
std::uint64_t generation_of(const Rendezvous& rendezvous, std::uint32_t rank) {
  const auto memory = must(base::SharedMemory::inherit(rendezvous.descriptor()));
  const std::size_t board = memory.bytes().size() / (rendezvous.ranks() + 1);
  std::uint64_t generation = 0;
  std::memcpy(&generation, memory.bytes().data() + board * (rank + 1) + sizeof generation, sizeof generation);
  return generation;
}

/// Rank 0 rebuilds only when it is told to: `words[1]`.
void rebuild_with_three(Group& group, Report& report) {
  report.words[2] = works(group) ? 1 : 2;
  while (group.run(Collective::barrier(), seconds(10))) continue;
  if (group.rank() == 0 && !comes([&] { return report.words[1] == 1; })) return report.wrong.set("nobody says go");
  if (group.rank() == 0) {
    const auto missing = group.rebuild(milliseconds(100));
    report.failure.set(missing ? "" : missing.error().text());
    report.words[0] = 1;
  }
  auto rebuilt = group.rebuild(seconds(10));
  if (!rebuilt) return report.wrong.set(rebuilt.error().text());
  if (const auto worked = works(*rebuilt); !worked) report.wrong.set(worked.error().text());
}

void join_and_work(const std::shared_ptr<Rendezvous>& rendezvous, std::uint32_t rank, Report& report) {
  Result<Group> group = join(rendezvous, rank, seconds(10));
  const auto worked = group ? works(*group) : Result<void>(group.error());
  if (!worked) report.wrong.set(worked.error().text());
}

TEST(Rebuild, ASecondRankThatDiesIsReplacedToo) {
  Job job(3);
  job.start_all(rebuild_with_three);
  for (std::uint32_t rank = 0; rank < 3; ++rank) ASSERT_TRUE(comes([&] { return job.report(rank).words[2] == 1; }));
  job.send(1, SIGKILL);
  ASSERT_TRUE(comes([&] { return generation_of(*job.rendezvous(), 2) == 2; }));
  job.send(2, SIGKILL);
  job.reap(1);
  job.reap(2);
  job.report(0).words[1] = 1;
  ASSERT_TRUE(comes([&] { return job.report(0).words[0] == 1; }));
  EXPECT_EQ(job.report(0).failure.get(),
            "The deadline passes while 3 ranks meet in generation 2; missing: ranks 1, 2.");
  for (const std::uint32_t rank : {1u, 2u}) {
    job.rendezvous()->vacate(rank);
    job.start(rank, [rank](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) {
      join_and_work(rendezvous, rank, report);
    });
  }
  EXPECT_EQ(job.wrong_with_all(), "");
}

/// Comes as rank 1 and kills itself after `steps` exchanges of what a group begins with.
void die_in_founding(const std::shared_ptr<Rendezvous>& rendezvous, std::uint32_t steps) {
  const std::uint64_t generation = must(rendezvous->arrive(1, 0, Clock::now() + seconds(10)));
  const Exchange honest = rendezvous->exchange(1, generation);
  const Exchange dying = [&](const Note& own, Deadline deadline) {
    if (steps-- == 0) ::raise(SIGKILL);
    return honest(own, deadline);
  };
  const auto transport = must(SharedTransport::create(*rendezvous, 1, generation));
  static_cast<void>(transport->create_window(Layout(2).size(), dying, Clock::now() + seconds(10)));
}

TEST(Rebuild, AJoinGoesOnWithWhoTakesADeadOnesPlace) {
  for (const std::uint32_t steps : {0u, 1u}) {
    Job job(2);
    job.start(
        0, [](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) { join_and_work(rendezvous, 0, report); });
    job.start(1, [&](const std::shared_ptr<Rendezvous>& rendezvous, Report&) { die_in_founding(rendezvous, steps); });
    job.reap(1);
    job.rendezvous()->vacate(1);
    job.start(
        1, [](const std::shared_ptr<Rendezvous>& rendezvous, Report& report) { join_and_work(rendezvous, 1, report); });
    EXPECT_EQ(job.wrong_with_all(), "") << steps;
  }
}

TEST(RebuildConcurrency, ThreadsMeetAgainAfterATimeout) {
  std::atomic<std::uint64_t> timeouts = 0;
  std::vector<std::thread> threads;
  for (Group& group : must(Group::threads(3))) {
    threads.emplace_back([&, own = std::move(group)]() mutable {
      for (std::uint64_t generation = 2; generation <= 4; ++generation) {
        if (own.rank() == generation % 3) {
          while (timeouts < 2 * (generation - 1)) std::this_thread::yield();
        } else {
          const auto done = own.run(Collective::barrier(), milliseconds(50));
          ASSERT_FALSE(done);
          EXPECT_EQ(done.error().code(), Errc::timeout);
          EXPECT_THAT(done.error().text(), HasSubstr("Rank " + std::to_string(generation % 3) + " of [Group"));
          ++timeouts;
        }
        auto rebuilt = own.rebuild(seconds(10));
        ASSERT_TRUE(rebuilt) << rebuilt.error().text();
        EXPECT_EQ(rebuilt->generation(), generation);
        EXPECT_EQ(rebuilt->rank(), own.rank());
        own = *std::move(rebuilt);
        EXPECT_TRUE(works(own));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(RebuildConcurrency, OnlyTheGroupOfTheStart) {
  std::vector<std::thread> threads;
  for (Group& group : must(Group::threads(2))) {
    threads.emplace_back([own = std::move(group)]() mutable {
      auto half = own.split(own.rank());
      ASSERT_TRUE(half && *half);
      EXPECT_EQ((*half)->rebuild(milliseconds(10)).error().code(), Errc::unsupported);
      auto smaller = own.shrink(seconds(10));
      ASSERT_TRUE(smaller);
      const auto refused = smaller->rebuild(milliseconds(10));
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code(), Errc::unsupported);
      EXPECT_THAT(refused.error().text(), HasSubstr("cannot be rebuilt"));
      EXPECT_TRUE(works(*smaller));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Alone it is a group of one. `RebuildOfPrograms` starts this test as a rank, too, and hears when its group works.
TEST(JoinedProgram, TakesPart) {
  auto group = Group::join({.timeout = seconds(20)});
  ASSERT_TRUE(group) << group.error().text();
  ASSERT_TRUE(works(*group));
  const auto settings = must(base::settings());
  EXPECT_EQ(group->ranks(), settings->ranks.value_or(1));
  EXPECT_EQ(group->transport(), settings->ranks ? "shm" : "threads");
  if (!settings->ranks) return;
  std::ofstream(std::getenv("RANK_SAYS"), std::ios::app) << '.' << std::flush;
  Result<void> done;
  while (done && group->generation() == 1) done = group->run(Collective::barrier(), seconds(20));
  if (done) return;
  EXPECT_EQ(done.error().code(), Errc::peer_lost);
  auto rebuilt = group->rebuild(seconds(20));
  ASSERT_TRUE(rebuilt) << rebuilt.error().text();
  EXPECT_EQ(rebuilt->generation(), 2u);
  EXPECT_TRUE(works(*rebuilt));
}

TEST(RebuildOfPrograms, JoinTakesTheEmptyPlace) {
  const auto rendezvous = must(Rendezvous::shared(3));
  const int said = ::memfd_create("said", MFD_CLOEXEC);
  const std::string says = "RANK_SAYS=/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(said);
  const auto start = [&](std::uint32_t rank) {
    return must(base::ChildProcess::start(
        {.arguments = {"/proc/self/exe", "--gtest_filter=JoinedProgram.TakesPart", "--gtest_brief=1"},
         .environment = {says, "PINTLE_RANK=" + std::to_string(rank), "PINTLE_RANKS=3",
                         "PINTLE_GROUP_MEMORY=" + std::to_string(rendezvous->descriptor())},
         .inherited = rendezvous->descriptor()}));
  };
  std::vector<base::ChildProcess> ranks;
  for (std::uint32_t rank = 0; rank < 3; ++rank) ranks.push_back(start(rank));
  ASSERT_TRUE(comes([&] { return ::lseek(said, 0, SEEK_END) == 3; }));
  ranks[1].send(SIGKILL);
  EXPECT_EQ(ranks[1].wait().signal, SIGKILL);
  rendezvous->vacate(1);
  ranks[1] = start(1);
  for (base::ChildProcess& rank : ranks) EXPECT_TRUE(rank.wait().is_success());
  ::close(said);
}

}  // namespace
}  // namespace pintle::collective
