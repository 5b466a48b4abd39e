#include "collective/shm/shared_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/platform.h"
#include "collective/forked.h"
#include "collective/outcome.h"
#include "collective/shm/shared_window.h"
#include "pintle/must.h"

namespace pintle::collective {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t absurd = std::uint64_t{1} << 62;

Deadline late() { return Clock::now() + std::chrono::seconds(30); }

/// A rank that has arrived, with what it needs to create windows.
struct Member {
  std::unique_ptr<Transport> transport;
  Exchange exchange;

  static Member join(Rendezvous& rendezvous, std::uint32_t rank) {
    const std::uint64_t generation = must(rendezvous.arrive(rank, 0, late()));
    return {must(SharedTransport::create(rendezvous, rank, generation)), rendezvous.exchange(rank, generation)};
  }
  Result<std::unique_ptr<Window>> create_window(std::uint64_t bytes) {
    return transport->create_window(bytes, exchange, late());
  }
};

/// Runs `work(member)` as each rank of `ranks` threads.
template <class Work>
void on_threads(std::uint32_t ranks, Work work) {
  const auto rendezvous = must(Rendezvous::in_process(ranks));
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] { work(Member::join(*rendezvous, rank)); });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Runs `work(member)`, which answers whether all was well, as each rank of `ranks` processes.
template <class Work>
void on_processes(std::uint32_t ranks, Work work) {
  const auto rendezvous = must(Rendezvous::shared(ranks));
  std::vector<Forked> children;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    children.emplace_back([&, rank] { return work(Member::join(*rendezvous, rank)); });
  }
  for (Forked& child : children) EXPECT_TRUE(child.is_well());
}

/// True when each rank has seen what every other has written for it.
bool passes_words(Member& member, Window& window) {
  const std::uint32_t rank = member.transport->rank(), ranks = member.transport->ranks();
  bool is_well = window.is_addressable();
  for (std::uint32_t to = 0; to < ranks; ++to) must(window.store(to, 8 * rank, 100 + rank));
  must(agree({}, member.exchange, late()));
  for (std::uint32_t from = 0; from < ranks; ++from) is_well &= window.word(8 * from).load() == 100 + from;
  return is_well;
}

std::size_t mapped_windows() {
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  std::size_t count = 0;
  while (std::fgets(line, sizeof line, maps) != nullptr) count += std::string(line).contains("pintle-window") ? 1U : 0U;
  std::fclose(maps);
  return count;
}

TEST(SharedTransportConcurrency, ThreadsReachEachOther) {
  on_threads(4, [](Member member) {
    EXPECT_EQ(member.transport->name(), "threads");
    EXPECT_TRUE(member.transport->shares_memory());
    EXPECT_TRUE(member.transport->survives_loss());
    const auto window = must(member.create_window(4096));
    EXPECT_EQ(window->size(), 4096u);
    EXPECT_TRUE(passes_words(member, *window));
    EXPECT_EQ(member.transport->loss(1), std::nullopt);
  });
}

TEST(SharedTransportConcurrency, PiecesLiveAsLongAsAnyRankHasTheWindow) {
  on_threads(3, [](Member member) {
    auto window = must(member.create_window(100));
    if (member.transport->rank() != 0) return;
    member.transport.reset();
    std::memset(window->at(2), 1, 100);
    EXPECT_EQ(window->at(2)[99], std::byte{1});
  });
}

TEST(SharedTransportConcurrency, SizesThatDifferAreTheSameErrorEverywhere) {
  on_threads(3, [](Member member) {
    const auto window = member.create_window(member.transport->rank() == 1 ? 128 : 64);
    ASSERT_FALSE(window);
    EXPECT_EQ(window.error().code(), Errc::invalid_argument);
    EXPECT_EQ(window.error().text(), "Size (128) of the window on rank 1 is not the size (64) on rank 0.");
    EXPECT_TRUE(passes_words(member, *must(member.create_window(64))));
  });
}

TEST(SharedTransportConcurrency, AFailureIsTheSameErrorEverywhere) {
  on_threads(3, [](Member member) {
    const auto window = member.create_window(absurd);
    ASSERT_FALSE(window);
    EXPECT_EQ(window.error().code(), Errc::out_of_memory);
    EXPECT_THAT(window.error().text(), HasSubstr("On rank 0: Shared memory of 4611686018427387904 bytes"));
    const auto one = member.create_window(member.transport->rank() == 2 ? ~std::uint64_t{0} : 64);
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().code(), Errc::invalid_argument);
    EXPECT_TRUE(passes_words(member, *must(member.create_window(64))));
  });
}

TEST(SharedTransportConcurrency, SleepersAreWokenAcrossAWindow) {
  on_threads(2, [](Member member) {
    const auto window = must(member.create_window(64));
    auto& word = *reinterpret_cast<std::uint32_t*>(window->at(0));
    const std::atomic_ref<std::uint32_t> value(word);
    if (member.transport->rank() == 0) {
      while (value.load() == 0) member.transport->sleep(&word, 0, Deadline::max());
    } else {
      value.store(1);
      member.transport->wake(&word);
    }
    must(agree({}, member.exchange, late()));
  });
}

TEST(SharedTransport, AWindowOfNothingHasPieces) {
  on_threads(2, [](Member member) {
    const auto window = must(member.create_window(0));
    EXPECT_EQ(window->size(), 0u);
    EXPECT_NE(window->at(0), window->at(1));
  });
}

TEST(SharedTransport, MembersOfASplitHaveTheirNewRanks) {
  on_threads(4, [](Member member) {
    const std::array<std::uint32_t, 2> odd{3, 1};
    const auto part = member.transport->split(odd, late());
    if (member.transport->rank() % 2 == 0) {
      ASSERT_FALSE(part);
      EXPECT_EQ(part.error().code(), Errc::invalid_argument);
      return;
    }
    EXPECT_EQ((*part)->ranks(), 2u);
    EXPECT_EQ((*part)->rank(), member.transport->rank() == 3 ? 0u : 1u);
    EXPECT_EQ((*part)->name(), "threads");
    const std::array<std::uint32_t, 2> beyond{member.transport->rank(), 4};
    EXPECT_FALSE(member.transport->split(beyond, late()));
  });
}

TEST(SharedTransport, ProcessesReachEachOther) {
  on_processes(4, [](Member member) {
    bool is_well = member.transport->name() == "shm" && !member.transport->shares_memory();
    const auto window = must(member.create_window(1 << 20));
    is_well &= passes_words(member, *window) && mapped_windows() == 4;
    std::memset(window->at(3 - member.transport->rank()) + 4096, static_cast<int>(member.transport->rank()), 64);
    must(agree({}, member.exchange, late()));
    return is_well && window->own()[4096] == static_cast<std::byte>(3 - member.transport->rank());
  });
}

TEST(SharedTransport, FailuresOfProcessesLeaveNothingBehind) {
  on_processes(3, [](Member member) {
    const std::uint32_t rank = member.transport->rank();
    const auto all = member.create_window(absurd);
    const auto one = member.create_window(rank == 2 ? absurd : 64);
    return !all && all.error().code() == Errc::out_of_memory && all.error().text().contains("On rank 0: ") && !one &&
           one.error().code() == Errc::invalid_argument && mapped_windows() == 0 &&
           passes_words(member, *must(member.create_window(64)));
  });
}

TEST(SharedTransport, AProcessThatCannotMapIsNamedEverywhere) {
  on_processes(3, [](Member member) {
    // Rank 1 hears another place of rank 2's piece than the others: a pipe of this process.
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) return false;
    const std::uint32_t rank = member.transport->rank();
    const Exchange honest = member.exchange;
    member.exchange = [&](const Note& own, Deadline deadline) {
      auto notes = honest(own, deadline);
      const auto place = static_cast<std::uint64_t>(pipe[0]);
      if (notes && rank == 1) std::memcpy((*notes)[2].data() + outcome_size + 8, &place, sizeof place);
      return notes;
    };
    const auto window = member.create_window(64);
    return !window && window.error().code() == Errc::unavailable &&
           window.error().text().starts_with("On rank 1: Descriptor ") &&
           window.error().text().contains("it is no memory") && mapped_windows() == 0;
  });
}

TEST(SharedTransport, WhatAHostileNeighbourSaysIsAnError) {
  const std::array<std::uint64_t, 2> processes{base::process_id(), base::process_id()};
  for (const auto& of : {std::span<const std::uint64_t>(processes), std::span<const std::uint64_t>()}) {
    for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, ~std::uint64_t{0}}) {
      const Exchange lying = [&](const Note& own, Deadline) -> Result<std::vector<Note>> {
        std::vector<Note> notes{own, own};
        std::memcpy(notes[1].data() + outcome_size + 8, &place, sizeof place);
        return notes;
      };
      const auto window = create_shared_window({.rank = 0, .ranks = 2, .processes = of}, 64, lying, late());
      ASSERT_FALSE(window);
      EXPECT_THAT(window.error().text(), HasSubstr("On rank 0: "));
    }
  }
  EXPECT_EQ(mapped_windows(), 0u);
}

TEST(SharedTransport, AKilledProcessIsLost) {
  const auto rendezvous = must(Rendezvous::shared(3));
  std::vector<Forked> children;
  for (std::uint32_t rank = 1; rank < 3; ++rank) {
    children.emplace_back([&, rank] {
      const Member member = Member::join(*rendezvous, rank);
      while (true) ::pause();
      return true;
    });
  }
  Member member = Member::join(*rendezvous, 0);
  for (std::uint32_t rank = 0; rank < 3; ++rank) EXPECT_EQ(member.transport->loss(rank), std::nullopt);
  const std::string process = std::to_string(children[1].process());
  children[1].kill();
  while (!member.transport->loss(2)) std::this_thread::yield();
  EXPECT_EQ(member.transport->loss(2), "its process " + process + " has ended");
  EXPECT_EQ(member.transport->loss(1), std::nullopt);
  const std::array<std::uint32_t, 2> left{0, 2};
  const auto part = must(member.transport->split(left, late()));
  EXPECT_EQ(part->name(), "shm");
  EXPECT_EQ(part->loss(1), "its process " + process + " has ended");
  const auto window = member.create_window(64);
  ASSERT_FALSE(window);
  EXPECT_EQ(window.error().code(), Errc::peer_lost);
  EXPECT_THAT(window.error().text(), HasSubstr("Rank 2 is lost: its process " + process + " has ended."));
  EXPECT_EQ(mapped_windows(), 0u);
}

TEST(SharedTransport, AnExchangeOfOtherRanksIsADefect) {
  const Exchange wrong = [](const Note&, Deadline) -> Result<std::vector<Note>> { return std::vector<Note>(3); };
  const auto window = create_shared_window({.rank = 0, .ranks = 2}, 64, wrong, late());
  ASSERT_FALSE(window);
  EXPECT_EQ(window.error().code(), Errc::internal);
}

}  // namespace
}  // namespace pintle::collective
