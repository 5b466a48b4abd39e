#include "kit/host_access.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace pintle::kit {
namespace {

TEST(HostAccess, NobodyEntersOnceClosed) {
  HostAccess access;
  ASSERT_TRUE(access.enter());
  access.leave();
  access.close();
  EXPECT_FALSE(access.enter());
}

// A thread that learns of a loss while it runs a host call does not wait for itself.
TEST(HostAccess, ClosingDoesNotWaitForTheCaller) {
  HostAccess access;
  ASSERT_TRUE(access.enter());
  access.close(std::chrono::hours(1));
  access.leave();
}

TEST(HostAccess, GivesUpAfterItsPatience) {
  HostAccess access;
  std::promise<void> inside, end;
  std::thread other([&] {
    EXPECT_TRUE(access.enter());
    inside.set_value();
    end.get_future().wait();
    access.leave();
  });
  inside.get_future().wait();
  access.close(std::chrono::milliseconds(1));
  end.set_value();
  other.join();
}

TEST(HostAccessConcurrency, NothingIsTouchedAfterClosing) {
  for (int round = 0; round < 200; ++round) {
    HostAccess access;
    std::atomic<bool> closed{false};
    std::thread other([&] {
      while (access.enter()) {
        EXPECT_FALSE(closed.load());
        access.leave();
      }
    });
    access.close(std::chrono::hours(1));
    closed.store(true);
    other.join();
  }
}

}  // namespace
}  // namespace pintle::kit
