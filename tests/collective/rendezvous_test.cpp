#include "collective/shm/rendezvous.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collective/forked.h"
#include "collective/job.h"
#include "collective/shm/shared_transport.h"
#include "pintle/must.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

Deadline soon() { return Clock::now() + milliseconds(30); }
Deadline late() { return Clock::now() + std::chrono::seconds(30); }

Note note_of(std::uint32_t rank, std::uint32_t step) {
  Note note;
  note.fill(static_cast<std::byte>(rank * 16 + step));
  std::memcpy(note.data(), &rank, sizeof rank);
  std::memcpy(note.data() + 4, &step, sizeof step);
  return note;
}

/// Exchanges `steps` notes; false where a note is not the one that its rank gave at that step.
bool exchanges(const Exchange& exchange, std::uint32_t rank, std::uint32_t ranks, std::uint32_t steps) {
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto notes = exchange(note_of(rank, step), late());
    if (!notes || notes->size() != ranks) return false;
    for (std::uint32_t other = 0; other < ranks; ++other) {
      if ((*notes)[other] != note_of(other, step)) return false;
    }
  }
  return true;
}

/// What a rank does in the whole: come, talk, leave.
bool takes_part(const std::shared_ptr<Rendezvous>& rendezvous, std::uint32_t rank, std::uint32_t steps) {
  const auto generation = rendezvous->arrive(rank, 0, late());
  return generation && exchanges(rendezvous->exchange(rank, *generation), rank, rendezvous->ranks(), steps);
}

TEST(Rendezvous, TheNumberOfRanksHasLimits) {
  for (const std::uint32_t ranks : {0u, most_ranks + 1, ~0u}) {
    EXPECT_EQ(Rendezvous::in_process(ranks).error().code(), Errc::invalid_argument);
    const auto shared = Rendezvous::shared(ranks);
    ASSERT_FALSE(shared);
    EXPECT_THAT(shared.error().text(), HasSubstr("(" + std::to_string(ranks) + ") is not within 1 to 1024"));
  }
  EXPECT_EQ(must(Rendezvous::shared(most_ranks))->ranks(), most_ranks);
}

TEST(Rendezvous, ARankAloneIsThereAtOnce) {
  const auto rendezvous = must(Rendezvous::in_process(1));
  EXPECT_EQ(must(rendezvous->arrive(0, 0, Clock::now())), 1u);
  EXPECT_EQ(must(rendezvous->arrive(0, 0, Clock::now())), 2u);
  EXPECT_EQ(must(rendezvous->arrive(0, 9, Clock::now())), 9u);
  EXPECT_TRUE(exchanges(rendezvous->exchange(0, 9), 0, 1, 5));
}

TEST(Rendezvous, ARankBeyondTheLastIsRefused) {
  const auto rendezvous = must(Rendezvous::in_process(4));
  const auto refused = rendezvous->arrive(4, 0, soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_EQ(refused.error().text(), "Rank (4) is not below the number of ranks (4).");
}

TEST(Rendezvous, GenerationsEnd) {
  const auto rendezvous = must(Rendezvous::in_process(1));
  EXPECT_EQ(rendezvous->arrive(0, std::uint64_t{1} << 32, soon()).error().code(), Errc::stale);
  EXPECT_EQ(must(rendezvous->arrive(0, 0xffff'ffff, soon())), 0xffff'ffffu);
  EXPECT_EQ(rendezvous->arrive(0, 0, soon()).error().code(), Errc::stale);
}

TEST(Rendezvous, ATimeoutNamesWhoIsMissing) {
  const auto rendezvous = must(Rendezvous::in_process(3));
  const auto timeout = rendezvous->arrive(1, 0, soon());
  ASSERT_FALSE(timeout);
  EXPECT_EQ(timeout.error().code(), Errc::timeout);
  EXPECT_EQ(timeout.error().text(), "The deadline passes while 3 ranks meet in generation 1; missing: ranks 0, 2.");

  const auto many = must(Rendezvous::in_process(30))->arrive(0, 0, soon());
  EXPECT_THAT(many.error().text(), HasSubstr("missing: ranks 1, 2, 3, 4, 5, 6, 7, 8 and 21 more."));
}

TEST(Rendezvous, WhoGaveUpIsNotThereAndMayComeAgain) {
  const auto rendezvous = must(Rendezvous::in_process(2));
  EXPECT_FALSE(rendezvous->arrive(0, 0, soon()));
  const auto alone = rendezvous->arrive(1, 0, soon());
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().text(), HasSubstr("missing: rank 0."));
  std::thread other([&] { EXPECT_EQ(must(rendezvous->arrive(0, 0, late())), 1u); });
  EXPECT_EQ(must(rendezvous->arrive(1, 0, late())), 1u);
  other.join();
}

TEST(Rendezvous, WhoIsBehindCatchesUp) {
  const auto rendezvous = must(Rendezvous::in_process(2));
  std::thread other([&] { EXPECT_EQ(must(rendezvous->arrive(1, 5, late())), 5u); });
  while (rendezvous->process(1) == 0) std::this_thread::yield();
  EXPECT_EQ(must(rendezvous->arrive(0, 2, late())), 5u);
  other.join();
}

TEST(Rendezvous, WhoWaitsGoesOnWithWhoTriesAgain) {
  const auto rendezvous = must(Rendezvous::in_process(3));
  std::thread waits([&] { EXPECT_EQ(must(rendezvous->arrive(0, 1, late())), 7u); });
  std::thread again([&] { EXPECT_EQ(must(rendezvous->arrive(1, 7, late())), 7u); });
  EXPECT_EQ(must(rendezvous->arrive(2, 3, late())), 7u);
  waits.join();
  again.join();
}

TEST(Rendezvous, AnExchangeThatFailedStaysFailed) {
  const auto rendezvous = must(Rendezvous::in_process(2));
  std::thread other([&] { must(rendezvous->arrive(1, 0, late())); });
  must(rendezvous->arrive(0, 0, late()));
  other.join();
  const Exchange exchange = rendezvous->exchange(0, 1), copy = exchange;
  const auto first = exchange(Note{}, soon());
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code(), Errc::timeout);
  EXPECT_EQ(first.error().text(),
            "The deadline passes while 2 ranks exchange note 1 of generation 1; missing: rank 1.");
  const auto second = copy(Note{}, soon());
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().same_origin(first.error()));
}

TEST(Rendezvous, AnExchangeHearsThatARankHasGoneOn) {
  const auto rendezvous = must(Rendezvous::in_process(2));
  std::atomic<bool> has_met = false;
  std::thread other([&] {
    must(rendezvous->arrive(1, 1, late()));
    while (!has_met) std::this_thread::yield();
    EXPECT_EQ(must(rendezvous->arrive(1, 2, late())), 2u);
  });
  must(rendezvous->arrive(0, 1, late()));
  has_met = true;
  const auto left = rendezvous->exchange(0, 1)(Note{}, late());
  EXPECT_EQ(must(rendezvous->arrive(0, 2, late())), 2u);
  other.join();
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().code(), Errc::stale);
  EXPECT_EQ(left.error().text(), "Rank 1 is in generation 2 already, beyond this one (1).");
}

TEST(Rendezvous, OnlyARendezvousIsInherited) {
  EXPECT_EQ(Rendezvous::inherited(-1).error().code(), Errc::unavailable);
  EXPECT_EQ(Rendezvous::inherited(STDERR_FILENO).error().code(), Errc::unavailable);
  const auto memory = must(base::SharedMemory::create(1 << 16, "no-rendezvous"));
  const auto wrong = Rendezvous::inherited(memory.descriptor());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), Errc::unavailable);
  EXPECT_THAT(wrong.error().text(), HasSubstr("is no rendezvous"));
  EXPECT_EQ(Rendezvous::inherited(must(base::SharedMemory::create(3, "short")).descriptor()).error().code(),
            Errc::unavailable);
}

TEST(Rendezvous, AHeaderThatLiesIsRefused) {
  const auto whole = must(Rendezvous::shared(4));
  EXPECT_EQ(must(Rendezvous::inherited(whole->descriptor()))->ranks(), 4u);
  const auto memory = must(base::SharedMemory::inherit(whole->descriptor()));
  for (std::size_t at = 0; at < 16; ++at) {  // magic, version, number of ranks
    memory.bytes()[at] ^= std::byte{1};
    EXPECT_FALSE(Rendezvous::inherited(whole->descriptor())) << at;
    memory.bytes()[at] ^= std::byte{1};
  }
  EXPECT_TRUE(Rendezvous::inherited(whole->descriptor()));
}

TEST(RendezvousConcurrency, ThreadsMeetAndExchange) {
  for (const std::uint32_t ranks : {2u, 3u, 8u}) {
    const auto rendezvous = must(Rendezvous::in_process(ranks));
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] { EXPECT_TRUE(takes_part(rendezvous, rank, 15)) << rank; });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(RendezvousConcurrency, EachGenerationBeginsAnew) {
  const auto rendezvous = must(Rendezvous::in_process(3));
  std::barrier all_are_done(3);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      for (std::uint32_t generation = 1; generation <= 20; ++generation) {
        EXPECT_EQ(must(rendezvous->arrive(rank, generation == 1 ? 0 : generation, late())), generation);
        EXPECT_TRUE(exchanges(rendezvous->exchange(rank, generation), rank, 3, generation % 4));
        all_are_done.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(RendezvousProcesses, MeetAndExchange) {
  const auto rendezvous = must(Rendezvous::shared(4));
  std::vector<Forked> children;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    children.emplace_back([&, rank] {
      return takes_part(must(Rendezvous::inherited(rendezvous->descriptor())), rank, 15) &&
             rendezvous->process(rank) == static_cast<std::uint64_t>(::getpid());
    });
  }
  for (Forked& child : children) EXPECT_TRUE(child.is_well());
}

TEST(RendezvousProcesses, AKilledRankIsLostToWhoWaitsForItsNote) {
  const auto rendezvous = must(Rendezvous::shared(3));
  std::vector<Forked> children;
  for (std::uint32_t rank = 1; rank < 3; ++rank) {
    children.emplace_back([&, rank] {
      if (rank == 1) return takes_part(rendezvous, rank, 1);
      must(rendezvous->arrive(rank, 0, late()));
      while (true) ::pause();
    });
  }
  must(rendezvous->arrive(0, 0, late()));
  const std::string process = std::to_string(children[1].process());
  children[1].kill();
  const auto lost = rendezvous->exchange(0, 1)(note_of(0, 0), late());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Errc::peer_lost);
  EXPECT_EQ(lost.error().text(), "Rank 2 is lost: its process " + process + " has ended.");
  EXPECT_FALSE(children[0].is_well());
}

/// What rank 0 is told that does not wait long.
std::string told(Rendezvous& rendezvous) {
  const auto met = rendezvous.arrive(0, 0, soon());
  return met ? "they meet" : met.error().text();
}

TEST(RendezvousProcesses, ARankThatIsKilledWhileItWaitsIsMissingUntilTheLauncherGivesItUp) {
  const auto rendezvous = must(Rendezvous::shared(3));
  Forked child([&] { return rendezvous->arrive(2, 0, late()).has_value(); });
  while (rendezvous->process(2) == 0) std::this_thread::yield();
  child.kill();
  EXPECT_FALSE(child.is_well());
  const std::string missing = "The deadline passes while 3 ranks meet in generation 1; missing: ranks 1, 2.";
  EXPECT_EQ(told(*rendezvous), missing);
  rendezvous->vacate(2);
  EXPECT_EQ(told(*rendezvous), missing);
  rendezvous->mark_gone(2, {.signal = SIGKILL});
  EXPECT_EQ(told(*rendezvous),
            "Rank 2 is lost: it was ended by signal 9 (kill, which for want of memory the system sends too).");
}

TEST(RendezvousProcesses, ARankThatIsKilledWhileItWaitsIsReplaced) {
  const auto rendezvous = must(Rendezvous::shared(3));
  Forked first([&] { return rendezvous->arrive(2, 0, late()).has_value(); });
  while (rendezvous->process(2) == 0) std::this_thread::yield();
  first.kill();
  EXPECT_FALSE(first.is_well());
  rendezvous->vacate(2);
  Forked waits([&] { return takes_part(rendezvous, 0, 5); });
  while (rendezvous->process(0) == 0) std::this_thread::yield();
  Forked last([&] { return takes_part(rendezvous, 1, 5); });
  while (rendezvous->process(1) == 0) std::this_thread::yield();
  Forked second([&] { return takes_part(rendezvous, 2, 5); });
  for (Forked* child : {&waits, &last, &second}) EXPECT_TRUE(child->is_well());
}

TEST(RendezvousProcesses, TheProcessOfARankIsThatOfItsGeneration) {
  const auto rendezvous = must(Rendezvous::shared(1));
  ASSERT_TRUE(rendezvous->arrive(0, 3, soon()));
  EXPECT_EQ(must(rendezvous->process(0, 3)), static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(rendezvous->process(0, 2).error().code(), Errc::stale);
  rendezvous->vacate(0);
  const auto lost = rendezvous->process(0, 3);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().text(), "Rank 0 is lost: its process has ended and another takes its place.");
}

TEST(RendezvousProcesses, TheLaunchersWordReachesWhoWaits) {
  const auto rendezvous = must(Rendezvous::shared(2));
  const auto ends = std::to_array<std::pair<base::ProcessEnd, std::string>>(
      {{{.signal = 9}, "was ended by signal 9"}, {{.code = 0}, "has ended with exit code 0"}, {{.code = 255}, "255"}});
  for (const auto& [end, words] : ends) {
    rendezvous->vacate(1);
    Forked child([&] {
      const auto lost = rendezvous->arrive(0, 0, late());
      return !lost && lost.error().code() == Errc::peer_lost && lost.error().text().contains("Rank 1 is lost: it ") &&
             lost.error().text().contains(words);
    });
    rendezvous->mark_gone(1, end);
    EXPECT_TRUE(child.is_well()) << words;
  }
  rendezvous->vacate(1);
  EXPECT_EQ(rendezvous->arrive(0, 0, soon()).error().code(), Errc::timeout);
}

TEST(RendezvousProcesses, WhoeverIsKilledAtAnyStepIsNamedByTheOthers) {
  constexpr std::uint32_t ranks = 4, steps = 3;
  for (std::uint32_t victim = 0; victim < ranks; ++victim) {
    for (std::uint32_t last = 0; last < steps; ++last) {
      const auto rendezvous = must(Rendezvous::shared(ranks));
      const Shared<std::atomic<std::uint32_t>> have_heard(1);
      std::vector<Forked> children;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        children.emplace_back([&, rank] {
          const Exchange exchange = rendezvous->exchange(rank, must(rendezvous->arrive(rank, 0, late())));
          if (!exchanges(exchange, rank, ranks, last)) return false;
          if (rank == victim) ::kill(::getpid(), SIGKILL);
          const auto notes = exchange(note_of(rank, last), late());
          ++have_heard[0];  // a rank that left before would be lost, too
          for (const Deadline end = late(); have_heard[0] < ranks - 1 && Clock::now() < end;) std::this_thread::yield();
          return !notes && notes.error().code() == Errc::peer_lost &&
                 notes.error().text().starts_with(fmt::format("Rank {} is lost: its process ", victim));
        });
      }
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(children[rank].is_well(), rank != victim) << victim << " at " << last << ", seen by " << rank;
      }
    }
  }
}

TEST(RendezvousProcesses, AStoppedRankIsLateAndIsNamed) {
  const auto rendezvous = must(Rendezvous::shared(2));
  Forked child([&] {
    must(rendezvous->arrive(1, 0, late()));
    ::kill(::getpid(), SIGSTOP);
    return true;
  });
  must(rendezvous->arrive(0, 0, late()));
  int status = 0;
  ::waitpid(child.process(), &status, WUNTRACED);
  const auto notes = rendezvous->exchange(0, 1)(Note{}, soon());
  ASSERT_FALSE(notes);
  EXPECT_EQ(notes.error().code(), Errc::timeout);
  EXPECT_THAT(notes.error().text(), HasSubstr("missing: rank 1."));
}

TEST(RendezvousProcesses, AnotherProcessTakesALostRanksPlace) {
  const auto rendezvous = must(Rendezvous::shared(2));
  Forked first([&] {
    must(rendezvous->arrive(1, 0, late()));
    return true;
  });
  must(rendezvous->arrive(0, 0, late()));
  EXPECT_TRUE(first.is_well());
  rendezvous->vacate(1);
  const auto lost = rendezvous->exchange(0, 1)(Note{}, late());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().text(), "Rank 1 is lost: its process has ended and another takes its place.");
  Forked second([&] { return takes_part(rendezvous, 1, 5); });
  EXPECT_EQ(must(rendezvous->arrive(0, 2, late())), 2u);
  EXPECT_TRUE(exchanges(rendezvous->exchange(0, 2), 0, 2, 5));
  EXPECT_TRUE(second.is_well());
}

TEST(RendezvousProcesses, WhateverANeighbourWritesIsAnErrorInTime) {
  const auto rendezvous = must(Rendezvous::shared(2));
  const auto memory = must(base::SharedMemory::inherit(rendezvous->descriptor()));
  const std::size_t board = memory.bytes().size() / 3;
  for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
    for (std::size_t at = 2 * board; at < 2 * board + 32; ++at) {  // rank 1's words
      memory.bytes()[at] = static_cast<std::byte>(value);
      const auto met = rendezvous->arrive(0, 1, Clock::now());
      const auto talked = rendezvous->exchange(0, 1)(Note{}, Clock::now());
      EXPECT_TRUE(met || met.error().code() != Errc::internal);
      EXPECT_TRUE(talked || talked.error().code() != Errc::internal);
    }
  }
}

TEST(RendezvousProcesses, RandomMemoryIsNeverMoreThanAnError) {
  const auto rendezvous = must(Rendezvous::shared(3));
  const auto memory = must(base::SharedMemory::inherit(rendezvous->descriptor()));
  const auto boards = memory.bytes().subspan(memory.bytes().size() / 4);
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    for (std::size_t at = 0; at < boards.size(); at += 8) {
      // Small numbers often: they are what generations, steps and processes are.
      const std::uint64_t value = random() % 2 == 0   ? random() % 4
                                  : random() % 3 == 0 ? (random() % 3) << 32 | random() % 3
                                                      : random();
      std::memcpy(boards.data() + at, &value, sizeof value);
    }
    const auto met = rendezvous->arrive(1, random() % 3, Clock::now());
    EXPECT_TRUE(met || met.error().code() != Errc::internal);
    const auto notes = rendezvous->exchange(1, 1)(Note{}, Clock::now());
    EXPECT_TRUE(!notes || notes->size() == 3);
    static_cast<void>(SharedTransport::create(*rendezvous, 1, 1));
  }
}

}  // namespace
}  // namespace pintle::collective
