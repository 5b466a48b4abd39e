#include "base/mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace pintle::base {
namespace {

TEST(Mutex, IsTakenOnce) {
  Mutex mutex;
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(MutexConcurrency, LetsOneInAtATime) {
  Mutex mutex;
  std::uint64_t count = 0;  // not atomic: a race of two is a wrong sum, and ThreadSanitizer's to see
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 160'000u);
}

// Held for longer than anybody looks again, so that the others sleep, and each of them is woken.
TEST(MutexConcurrency, WakesWhoeverSleeps) {
  Mutex mutex;
  int count = 0;
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(mutex);
    for (int thread = 0; thread < 6; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) {
          const std::lock_guard inner(mutex);
          ++count;
          std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  threads.clear();
  EXPECT_EQ(count, 30);
}

}  // namespace
}  // namespace pintle::base
