// The rank that is late is found from what ranks show. That is set here, so nothing depends on how fast they are.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "collective/group/call.h"
#include "collective/group/group_state.h"
#include "collective/group/waiting.h"
#include "collective/ranks.h"
#include "collective/turned_clock.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds long_ago(250);  // more than a rank that is only slow to be looked at may be silent

class FailureBlame : public testing::Test {
 protected:
  [[nodiscard]] GroupState& rank(std::uint32_t number) { return GroupState::of(groups_[number]); }
  void begin(std::uint32_t number, Operation operation) {
    Call call;
    call.operation = operation;
    call.number = 1;  // of a message; others number themselves
    running_[number].emplace(must(rank(number).begin(call)));
  }
  void end(std::uint32_t number) { running_[number].reset(); }
  void wait(std::uint32_t number, std::uint32_t awaited) { rank(number).show_waiting(awaited + 1, turned_clock()); }
  /// What rank 0 says as it finds that rank 1 is late.
  [[nodiscard]] std::string found_by_0() {
    const std::uint32_t awaited = 1;
    Waiting waiting(rank(0), turned_clock(), Waiting::Purpose::operation, turned_clock);
    Result<void> waited;
    while (waited) waited = waiting.pause(std::span(&awaited, 1));
    return waited.error().text();
  }

 private:
  std::vector<Group> groups_ = must(Group::threads(4));
  std::vector<std::optional<GroupState::Running>> running_{4};
};

TEST_F(FailureBlame, WhoIsAwaitedAndDoesNotWait) {
  for (const std::uint32_t number : {0u, 1u, 2u, 3u}) begin(number, Operation::barrier);
  wait(1, 2);
  EXPECT_TRUE(found_by_0().starts_with("Rank 2 of "));
}

TEST_F(FailureBlame, NotWhoHasOnlyNotLookedForLong) {
  for (const std::uint32_t number : {0u, 1u, 2u, 3u}) begin(number, Operation::barrier);
  wait(1, 2);
  wait(2, 3);
  turn_clock(long_ago);
  EXPECT_TRUE(found_by_0().starts_with("Rank 3 of "));
}

TEST_F(FailureBlame, NotWhoHasDoneItsPart) {
  for (const std::uint32_t number : {0u, 1u, 2u}) begin(number, Operation::barrier);
  wait(1, 2);
  end(2);
  EXPECT_TRUE(found_by_0().starts_with("Rank 1 of "));
  EXPECT_EQ(rank(0).status_of(2)->done, 1u);
}

TEST_F(FailureBlame, OfACircleWhoHasNotLookedForLongest) {
  for (const std::uint32_t number : {0u, 1u, 2u, 3u}) begin(number, Operation::barrier);
  wait(2, 3);
  turn_clock(milliseconds(2));
  wait(1, 2);
  wait(3, 1);
  EXPECT_TRUE(found_by_0().starts_with("Rank 2 of "));
}

TEST_F(FailureBlame, OfACircleThroughWhoAsksAnother) {
  for (const std::uint32_t number : {0u, 1u, 2u, 3u}) begin(number, Operation::barrier);
  wait(1, 2);
  turn_clock(milliseconds(2));
  wait(2, 0);
  EXPECT_TRUE(found_by_0().starts_with("Rank 1 of "));
}

TEST_F(FailureBlame, SaysThatTheLateRankHasBegunNothing) {
  begin(0, Operation::barrier);
  EXPECT_TRUE(found_by_0().ends_with("; it has begun nothing."));
}

TEST_F(FailureBlame, SaysWhatTheLateRankIsIn) {
  begin(1, Operation::all_to_all);
  end(1);
  begin(1, Operation::barrier);
  begin(0, Operation::send_recv);
  EXPECT_TRUE(found_by_0().ends_with("; it is in barrier 2."));
}

TEST_F(FailureBlame, SaysWhatTheLateRankHasEnded) {
  begin(1, Operation::all_to_all);
  end(1);
  begin(0, Operation::send_recv);
  EXPECT_TRUE(found_by_0().ends_with("; it has ended all_to_all 1."));
}

/// Nobody says whether a message has been sent: there, how long it has not looked is all that is known.
TEST_F(FailureBlame, OfMessagesWhoIsAwaited) {
  begin(0, Operation::barrier);
  begin(1, Operation::send_recv);
  wait(1, 2);
  EXPECT_TRUE(found_by_0().starts_with("Rank 2 of "));
}

TEST_F(FailureBlame, OfMessagesWhoHasNotLookedForLong) {
  begin(0, Operation::barrier);
  begin(1, Operation::send_recv);
  wait(1, 2);
  turn_clock(long_ago);
  EXPECT_TRUE(found_by_0().starts_with("Rank 1 of "));
}

}  // namespace
}  // namespace pintle::collective
