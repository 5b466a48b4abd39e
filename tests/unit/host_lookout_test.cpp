#include "host/lookout.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pintle::host {
namespace {

using namespace std::chrono_literals;
using View = Lookout::View;

/// A queue whose submissions are only counted.
class Counted final : public Lookout::Ward {
 public:
  /// As `Queue::submit`.
  void leave(Lookout& lookout) {
    if (claim_.leave() == Claim::Submitted::unwatched) lookout.add(*this);
  }
  [[nodiscard]] bool take() { return claim_.take(); }
  void finish() {
    ++done;
    EXPECT_TRUE(claim_.release());
  }
  [[nodiscard]] bool is_free() const { return claim_.is_free(); }
  int rescues = 0;
  std::uint64_t done = 0;

 private:
  [[nodiscard]] std::uint64_t progress() const noexcept override { return done; }
  void rescue() noexcept override {
    if (claim_.take()) ++rescues;
  }
};

class LookoutTest : public testing::Test {
 protected:
  View look(Duration later = 0ms) { return lookout.look(now += later); }
  Lookout lookout;
  Counted queue, other;
  Deadline now = Clock::now();
};

TEST_F(LookoutTest, WithoutQueuesThereIsNothingToWatch) {
  EXPECT_FALSE(lookout.wants_watch());
  EXPECT_FALSE(lookout.begin_watch());
  EXPECT_EQ(look(), View::empty);
}

TEST_F(LookoutTest, OneAtATimeHasTheWatch) {
  queue.leave(lookout);
  EXPECT_TRUE(lookout.wants_watch());
  EXPECT_TRUE(lookout.begin_watch());
  EXPECT_FALSE(lookout.wants_watch());
  EXPECT_FALSE(lookout.begin_watch());
  lookout.end_watch();
  EXPECT_TRUE(lookout.wants_watch());
}

TEST_F(LookoutTest, WhatIsLeftAtTwoLooksIsRescued) {
  queue.leave(lookout);
  EXPECT_EQ(look(), View::left);
  EXPECT_EQ(queue.rescues, 0);
  EXPECT_EQ(look(4us), View::rescued);
  EXPECT_EQ(queue.rescues, 1);
  EXPECT_EQ(look(4us), View::calm) << "somebody owns it now";
}

TEST_F(LookoutTest, WhatGoesOnIsLeftAlone) {
  for (int round = 0; round < 10; ++round) {
    queue.leave(lookout);
    EXPECT_EQ(look(4us), View::left);
    ASSERT_TRUE(queue.take());
    queue.finish();
  }
  EXPECT_EQ(look(4us), View::calm);
  EXPECT_EQ(queue.rescues, 0);
}

TEST_F(LookoutTest, AQuietQueueIsLetGoAndComesBack) {
  queue.leave(lookout);
  ASSERT_TRUE(queue.take());
  queue.finish();
  EXPECT_FALSE(queue.is_free());
  EXPECT_EQ(look(), View::calm);
  EXPECT_EQ(look(100us), View::calm);
  EXPECT_EQ(look(10ms), View::empty);
  EXPECT_TRUE(queue.is_free());
  EXPECT_FALSE(lookout.wants_watch());
  queue.leave(lookout);
  EXPECT_TRUE(lookout.wants_watch());
  EXPECT_EQ(look(10ms), View::left) << "the time before does not count";
}

TEST_F(LookoutTest, EachQueueHasItsOwnTurn) {
  queue.leave(lookout);
  other.leave(lookout);
  ASSERT_TRUE(other.take());
  other.finish();
  EXPECT_EQ(look(), View::left);
  EXPECT_EQ(look(10ms), View::rescued);
  EXPECT_EQ(queue.rescues, 1);
  EXPECT_EQ(other.rescues, 0);
  EXPECT_TRUE(other.is_free());
  EXPECT_FALSE(queue.is_free());
}

}  // namespace
}  // namespace pintle::host
