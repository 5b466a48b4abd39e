#include "host/work_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace pintle::host {
namespace {

struct Work {
  std::atomic<std::uint64_t> serial{0};
  std::uint64_t value = 0;
};

using Ring = WorkRing<Work>;

void submit(Ring& ring, std::uint64_t serial, std::uint64_t used) {
  if (!ring.has_room(serial)) ring.make_room(serial, used);
  ring[serial].value = 3 * serial;
  ring[serial].serial.store(serial, std::memory_order_release);
}

void expect_work(Ring& ring, std::uint64_t serial) {
  const Work* const work = ring.find(serial);
  ASSERT_NE(work, nullptr) << serial;
  EXPECT_EQ(work->value, 3 * serial);
}

TEST(WorkRing, StaysSmallWhereTheConsumerKeepsUp) {
  Ring ring(7);
  for (std::uint64_t serial = 8; serial < 5000; ++serial) {
    EXPECT_EQ(ring.find(serial), nullptr);
    submit(ring, serial, serial - 1);
    expect_work(ring, serial);
  }
  EXPECT_EQ(ring.size(), Ring::first_size);
}

TEST(WorkRing, GrowsInTheFirstBurstOnly) {
  constexpr std::uint64_t burst = 128;
  Ring ring(0);
  for (std::uint64_t first = 1; first < 20 * burst; first += burst) {
    for (std::uint64_t i = 0; i < burst; ++i) submit(ring, first + i, first - 1);
    EXPECT_EQ(ring.size(), burst);
    for (std::uint64_t i = 0; i < burst; ++i) expect_work(ring, first + i);
    EXPECT_EQ(ring.find(first + burst), nullptr);
  }
}

TEST(WorkRing, KeepsWorkWhereItIs) {
  Ring ring(0);
  submit(ring, 1, 0);
  const Work* const first = ring.find(1);
  for (std::uint64_t serial = 2; serial <= 1000; ++serial) submit(ring, serial, 0);
  EXPECT_EQ(ring.find(1), first);
  for (std::uint64_t serial = 1; serial <= 1000; ++serial) expect_work(ring, serial);
  EXPECT_EQ(ring.find(1001), nullptr);
}

TEST(WorkRing, ReachesTheLastSerial) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  Ring ring(last - 100);
  for (std::uint64_t serial = last - 100; serial++ != last;) submit(ring, serial, last - 100);
  for (std::uint64_t serial = last - 100; serial++ != last;) expect_work(ring, serial);
}

TEST(WorkRingConcurrency, GrowsWhileAnotherThreadReads) {
  constexpr std::uint64_t count = 50'000;
  constexpr std::uint64_t most = 1024;
  Ring ring(0);
  std::atomic<std::uint64_t> used{0};
  std::thread consumer([&] {
    for (std::uint64_t serial = 1; serial <= count; ++serial) {
      const Work* work = nullptr;
      while ((work = ring.find(serial)) == nullptr) std::this_thread::yield();
      EXPECT_EQ(work->value, 3 * serial);
      used.store(serial, std::memory_order_release);
    }
  });
  for (std::uint64_t serial = 1; serial <= count; ++serial) {
    while (serial - used.load(std::memory_order_acquire) > most) std::this_thread::yield();
    submit(ring, serial, used.load(std::memory_order_acquire));
  }
  consumer.join();
  EXPECT_LE(ring.size(), most);
}

}  // namespace
}  // namespace pintle::host
