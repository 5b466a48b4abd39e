#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "pintle/must.h"
#include "ranks.h"

namespace pintle::collective::ranks {
namespace {

using testing::HasSubstr;

std::vector<std::uint32_t> every_second(std::uint32_t first) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = first; rank < transport().ranks(); rank += 2) members.push_back(rank);
  return members;
}

TEST(MpiTransports, SayWhatTheyAre) {
  EXPECT_EQ(transport().name(), "mpi");
  EXPECT_GE(transport().ranks(), 2u);
  EXPECT_LT(transport().rank(), transport().ranks());
  EXPECT_FALSE(transport().survives_loss());
  EXPECT_FALSE(transport().shares_memory());
  EXPECT_TRUE(is_mpi_job());
  for (std::uint32_t rank = 0; rank < transport().ranks(); ++rank) EXPECT_EQ(transport().loss(rank), std::nullopt);
}

TEST(MpiTransports, SplitIntoHalvesInReverse) {
  std::vector<std::uint32_t> members = every_second(transport().rank() % 2);
  std::ranges::reverse(members);
  const auto half = must(transport().split(members, soon()));
  ASSERT_EQ(half->ranks(), members.size());
  EXPECT_EQ(members[half->rank()], transport().rank());
  const auto window = window_of(*half, 64);
  must(window->store((half->rank() + 1) % half->ranks(), 0, 100 + transport().rank()));
  ASSERT_TRUE(wait_for_word(*window, 0, 100));
  EXPECT_EQ(window->word(0).load(), 100 + members[(half->rank() + half->ranks() - 1) % half->ranks()]);
}

TEST(MpiTransports, SplitOfSomeDoesNotDisturbTheOthers) {
  // Ranks of the first halves meet more often than the others.
  for (int i = 0; i < 3 && transport().rank() % 2 == 0; ++i)
    EXPECT_EQ(must(transport().split(every_second(0), soon()))->rank(), transport().rank() / 2);
  EXPECT_EQ(window_of(transport(), 8)->size(), 8u);
}

TEST(MpiTransports, ManySplitsLeaveNothingBehind) {
  std::vector<std::uint32_t> all(transport().ranks());
  std::iota(all.begin(), all.end(), 0u);
  for (int i = 0; i < 10; ++i) {
    const auto same = must(transport().split(all, soon()));
    const auto window = window_of(*same, 64);
    ASSERT_EQ(same->rank(), transport().rank());
  }
  const auto last = must(transport().split(all, soon()));
  EXPECT_LE(retired_windows(all, 1000).size(), 2u);
}

TEST(MpiTransports, SplitRefusesWhatCanBeSeen) {
  const std::uint32_t other = (transport().rank() + 1) % transport().ranks();
  const auto without = transport().split(std::vector{other}, soon());
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(without.error().message()), HasSubstr("is not among the members"));
  const auto unknown = transport().split(std::vector{transport().rank(), transport().ranks()}, soon());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), Errc::invalid_argument);
}

TEST(MpiTransports, SplitWithOtherMembersIsTheSameErrorEverywhere) {
  std::vector<std::uint32_t> members(transport().ranks());
  std::iota(members.begin(), members.end(), 0u);
  // The same set in another order on the last rank: each waits for all, and they see it.
  if (transport().rank() + 1 == transport().ranks()) std::ranges::reverse(members);
  const auto made = transport().split(members, soon());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(made.error().message()), HasSubstr("names other members than member 0."));
  EXPECT_EQ(window_of(transport(), 8)->size(), 8u);
}

TEST(MpiTransports, JoiningAgainIsAnotherTransport) {
  const auto again = must(join_mpi(soon(), reach()));
  EXPECT_EQ(again->rank(), transport().rank());
  EXPECT_EQ(again->ranks(), transport().ranks());
  const auto window = window_of(*again, 8);
  must(window->store((again->rank() + 1) % again->ranks(), 0, 9));
  EXPECT_TRUE(wait_for_word(*window, 0, 9));
}

TEST(MpiTransports, SleepEndsWhenTheWordChanges) {
  const auto window = window_of(transport(), 64);
  const auto* const word = reinterpret_cast<const std::uint32_t*>(window->own());
  const Deadline deadline = soon();
  if (transport().rank() == 0) {
    for (std::uint32_t rank = 1; rank < transport().ranks(); ++rank) {
      must(window->store(rank, 0, 1));
      if (window->is_addressable()) transport().wake(reinterpret_cast<std::uint32_t*>(window->at(rank)));
    }
  } else {
    while (window->word(0).load(std::memory_order_acquire) == 0) {
      ASSERT_LT(Clock::now(), deadline);
      transport().sleep(word, 0, deadline);
      window->progress();
    }
  }
  meet(transport(), *window, 8, 1);
}

TEST(MpiTransports, SleepEndsAtItsDeadline) {
  const auto window = window_of(transport(), 64);
  const Deadline until = Clock::now() + std::chrono::milliseconds(5);
  while (Clock::now() < until) transport().sleep(reinterpret_cast<const std::uint32_t*>(window->own()), 0, until);
  EXPECT_EQ(window->word(0).load(), 0u);
  transport().sleep(reinterpret_cast<const std::uint32_t*>(window->own()), 1, Deadline::max());
}

}  // namespace
}  // namespace pintle::collective::ranks
