// Waiting for one of several points while they are being reached.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "pintle/must.h"
#include "pintle/signal.h"

namespace pintle {
namespace {

using namespace std::chrono_literals;

// A point that is reached between being looked at and being waited for is not slept through.
TEST(WaitAnyConcurrency, APointThatIsReachedMeanwhileEndsTheWait) {
  constexpr std::uint64_t rounds = 20'000;
  const Signal never = must(Signal::create());
  const Signal rising = must(Signal::create());
  std::atomic<std::uint64_t> asked{0};
  std::jthread raiser([&] {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      while (asked.load() < round) std::this_thread::yield();
      for (std::uint64_t i = 0; i < round % 64; ++i) static_cast<void>(asked.load());  // at another moment each time
      must(Signal(rising).set(round));
    }
  });
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    const std::array points{never.at(1), rising.at(round)};
    asked.store(round);
    const auto found = wait_any(points, 5s);
    ASSERT_TRUE(found) << "round " << round << ": " << found.error().text();
    ASSERT_EQ(*found, 1u);
  }
}

}  // namespace
}  // namespace pintle
