#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "collective/mpi/mpi_retired.h"
#include "pintle/must.h"
#include "ranks.h"

namespace pintle::collective::ranks {
namespace {

using testing::Each;
using testing::HasSubstr;

std::uint32_t next() { return (transport().rank() + 1) % transport().ranks(); }
std::uint32_t previous() { return (transport().rank() + transport().ranks() - 1) % transport().ranks(); }

std::vector<std::byte> pattern(std::uint32_t seed, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 31 + seed * 7 + i / 251) & 0xff);
  return bytes;
}

constexpr std::uint64_t kib64 = 64ull << 10;

TEST(MpiWindows, AreZeroAlignedAndReachedAsChosen) {
  const auto window = window_of(transport(), 10'000);
  EXPECT_EQ(window->size(), 10'000u);
  EXPECT_THAT(std::span(window->own(), 10'000), Each(std::byte{}));
  EXPECT_EQ(mpi_shift(window->own()), 0u);
  EXPECT_EQ(window->is_addressable(), reach() == Reach::any || transport().ranks() == 1);
  EXPECT_EQ(window->at(transport().rank()), window->own());
  EXPECT_EQ(window->at(next()) != nullptr, reach() == Reach::any);
}

TEST(MpiWindows, PutIsThereWhenItsFlagIs) {
  constexpr std::uint64_t arrived = kib64, taken = kib64 + 8;
  const auto window = window_of(transport(), kib64 + 16);
  for (std::uint32_t round = 1; round <= 20; ++round) {
    must(window->put(next(), 0, pattern(transport().rank() + round * 100, kib64)));
    must(window->store(next(), arrived, round));
    ASSERT_TRUE(wait_for_word(*window, arrived, round));
    ASSERT_TRUE(std::ranges::equal(std::span(window->own(), kib64), pattern(previous() + round * 100, kib64)));
    // The next round may overwrite only what has been read.
    must(window->store(previous(), taken, round));
    ASSERT_TRUE(wait_for_word(*window, taken, round));
  }
}

TEST(MpiWindows, SourceOfAPutIsFreeOnReturn) {
  const auto window = window_of(transport(), 4096 + 8);
  std::vector<std::byte> from = pattern(1, 4096);
  must(window->put(next(), 0, from));
  std::ranges::fill(from, std::byte{0xee});
  must(window->flush());
  meet(transport(), *window, 4096, 1);
  EXPECT_TRUE(std::ranges::equal(std::span(window->own(), 4096), pattern(1, 4096)));
}

TEST(MpiWindows, GetReadsWhatTheOwnerWrote) {
  const auto window = window_of(transport(), 8192);
  std::ranges::copy(pattern(transport().rank(), 5000), window->own());
  window->progress();
  meet(transport(), *window, 8000, 1);
  std::vector<std::byte> read(4999);
  for (std::uint32_t rank = 0; rank < transport().ranks(); ++rank) {
    must(window->get(rank, 1, read));
    const auto expected = pattern(rank, 5000);
    EXPECT_TRUE(std::ranges::equal(read, std::span(expected).subspan(1))) << "of rank " << rank;
  }
  meet(transport(), *window, 8000, 2);
}

TEST(MpiWindows, TheHighestOfAllThreadsOfAllRanksStays) {
  const auto window = window_of(transport(), 64);
  constexpr std::uint64_t times = 10;
  const auto raise = [&](std::uint64_t thread) {
    for (std::uint64_t i = 1; i <= times; ++i) must(window->raise(0, 8, 100 * i + 2 * transport().rank() + thread));
  };
  std::thread other(raise, 1);
  raise(0);
  other.join();
  meet(transport(), *window, 0, 1);
  std::uint64_t highest = 0;
  must(window->get(0, 8, std::as_writable_bytes(std::span(&highest, 1))));
  EXPECT_EQ(highest, 100 * times + 2 * (transport().ranks() - 1) + 1);
  meet(transport(), *window, 0, 2);
}

TEST(MpiWindows, TwoAtOnceDoNotMix) {
  const auto first = window_of(transport(), 16);
  const auto second = window_of(transport(), 4096);
  must(first->store(next(), 0, 11));
  must(second->store(next(), 0, 22));
  ASSERT_TRUE(wait_for_word(*first, 0, 11));
  ASSERT_TRUE(wait_for_word(*second, 0, 22));
  EXPECT_EQ(first->word(0).load(), 11u);
  EXPECT_EQ(second->word(0).load(), 22u);
  EXPECT_EQ(first->word(8).load(), 0u);
  EXPECT_EQ(second->word(8).load(), 0u);
}

TEST(MpiWindows, OfNoBytesIsAWindow) {
  const auto window = window_of(transport(), 0);
  EXPECT_EQ(window->size(), 0u);
  EXPECT_NE(window->own(), nullptr);
  must(window->put(next(), 0, {}));
  must(window->get(next(), 0, {}));
  must(window->flush());
}

TEST(MpiWindows, SizesThatDifferAreTheSameErrorEverywhere) {
  const std::uint32_t odd = transport().ranks() - 1;
  const auto made = transport().create_window(transport().rank() == odd ? 24 : 16, {}, soon());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Errc::invalid_argument);
  EXPECT_EQ(made.error().message(),
            "Size of a window on rank " + std::to_string(odd) + " (24) differs from that on rank 0 (16).");
  const auto window = window_of(transport(), 16);
  must(window->store(next(), 0, 1));
  EXPECT_TRUE(wait_for_word(*window, 0, 1));
}

TEST(MpiWindows, SizeOfOneRankThatNobodyHasIsAnErrorEverywhere) {
  for (const std::uint64_t bytes : {1ull << 62, ~0ull, ~0ull - 4096}) {
    const auto made = transport().create_window(bytes, {}, soon());
    ASSERT_FALSE(made) << bytes;
    EXPECT_EQ(made.error().code(), Errc::out_of_memory);
    EXPECT_EQ(made.error().message(),
              "On rank 0: There is no memory for a window's (" + std::to_string(bytes) + ") bytes.");
  }
  EXPECT_EQ(window_of(transport(), 16)->size(), 16u);
}

TEST(MpiWindows, AreFreedThoughRanksDropThemInAnotherOrder) {
  const std::vector<std::uint32_t> world = [] {
    std::vector<std::uint32_t> all(transport().ranks());
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }();
  const auto kept = window_of(transport(), 64);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    auto first = window_of(transport(), 64);
    auto second = window_of(transport(), 64);
    if (transport().rank() % 2 == 0) std::swap(first, second);
    first.reset();
    must(kept->store(next(), 0, i));
    EXPECT_TRUE(wait_for_word(*kept, 0, i)) << "who drops a window waits for nobody";
    second.reset();
  }
  const auto last = window_of(transport(), 64);
  EXPECT_LE(retired_windows(world, 1000).size(), 2u) << "the others are freed";
}

TEST(MpiWindows, RankThatDoesNotComeIsNamed) {
  std::vector<std::uint32_t> all(transport().ranks());
  std::iota(all.begin(), all.end(), 0u);
  const auto among = must(transport().split(all, soon()));
  if (transport().rank() != 1) {
    const auto made = among->create_window(64, {}, Clock::now() + std::chrono::milliseconds(200));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), Errc::timeout);
    EXPECT_EQ(made.error().message(), "1 of (" + std::to_string(transport().ranks()) +
                                          ") ranks over MPI did not come by the deadline: rank 1.");
    const auto again = among->create_window(64, {}, soon());
    ASSERT_FALSE(again);
    EXPECT_TRUE(again.error().same_origin(made.error())) << "late notes would be taken for others";
  }
  EXPECT_EQ(window_of(transport(), 8)->size(), 8u) << "the transport that it was split from goes on";
}

}  // namespace
}  // namespace pintle::collective::ranks
