#include "base/futex.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace pintle::base {
namespace {

TEST(Futex, AnotherValueIsNoReasonToSleep) {
  const std::uint32_t word = 7;
  futex_wait(&word, 6, Deadline::max());
}

TEST(Futex, TheDeadlineEndsTheSleep) {
  const std::uint32_t word = 7;
  const Deadline deadline = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < deadline) futex_wait(&word, 7, deadline);
  futex_wait(&word, 7, Clock::now() - std::chrono::seconds(1));
  futex_wait(&word, 7, Deadline());
  futex_wait(&word, 7, Deadline::min());
}

TEST(Futex, WakingNobodyIsHarmless) {
  std::uint32_t word = 0;
  futex_wake(&word);
  EXPECT_EQ(word, 0u);
}

TEST(Futex, WakesAnotherProcess) {
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& word = *static_cast<std::uint32_t*>(page);
  const std::atomic_ref<std::uint32_t> value(word);
  const pid_t child = ::fork();
  if (child == 0) {
    value.store(1);
    futex_wake(&word);
    while (value.load() != 2) futex_wait(&word, 1, Deadline::max());
    ::_exit(0);
  }
  while (value.load() != 1) futex_wait(&word, 0, Deadline::max());
  value.store(2);
  futex_wake(&word);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ::munmap(page, 4096);
}

TEST(FutexConcurrency, EverySleeperIsWoken) {
  std::uint32_t word = 0;
  const std::atomic_ref<std::uint32_t> value(word);
  std::atomic<int> awake = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (value.load() == 0) futex_wait(&word, 0, Deadline::max());
      ++awake;
    });
  }
  value.store(1);
  futex_wake(&word);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(awake, 4);
}

}  // namespace
}  // namespace pintle::base
