// Queues of Vulkan devices: copies, fills, timelines, steps.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "vulkan_support.h"

namespace pintle::test {
namespace {

using backend::QueuePoint;
using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

class VulkanQueueTest : public VulkanTest {};

Bytes ramp(std::size_t count, std::uint8_t first = 0) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

TEST_F(VulkanQueueTest, BytesOfAnySizeAndPlaceRoundTrip) {
  each([](VulkanRig& rig) {
    for (const std::size_t size : {1ul, 3ul, 4ul, 65536ul, 65537ul, (256ul << 10) + 1, 5ul << 20}) {
      const auto memory = rig.allocate(size + 64);
      for (const std::uint64_t offset : {0ull, 1ull, 7ull, 64ull}) {
        const Bytes values = ramp(size, static_cast<std::uint8_t>(offset));
        rig.write(memory, offset, values);
        EXPECT_EQ(rig.read<std::uint8_t>(memory, offset, size), values) << size << " at " << offset;
      }
      rig.device->release(memory);
    }
  });
}

// Large host memory is imported by whole pages: what is beside it stays as it was.
TEST_F(VulkanQueueTest, LargeDownloadsTouchTheirTargetOnly) {
  each([](VulkanRig& rig) {
    constexpr std::size_t size = 3 << 20;
    const auto memory = rig.buffer(Bytes(size, 9));
    Bytes around(size + 20000, 1);
    backend::Download download;
    download.from = range_of(memory, 0, size);
    download.to = {reinterpret_cast<std::byte*>(around.data()) + 5001, size, backend::no_slot};
    rig.run(List({download}));
    EXPECT_TRUE(std::all_of(around.begin(), around.begin() + 5001, [](int value) { return value == 1; }));
    EXPECT_TRUE(std::all_of(around.begin() + 5001, around.begin() + 5001 + size, [](int value) { return value == 9; }));
    EXPECT_TRUE(std::all_of(around.begin() + 5001 + size, around.end(), [](int value) { return value == 1; }));
  });
}

TEST_F(VulkanQueueTest, FillsOfEveryPatternAndPlace) {
  each([](VulkanRig& rig) {
    const auto memory = rig.allocate(4096);
    for (const std::uint32_t pattern : {1u, 2u, 4u, 8u}) {
      for (const std::uint64_t at : {0u, 1u, 2u, 3u, 5u}) {
        for (const std::uint64_t count : {0u, 1u, 2u, 3u, 7u, 200u}) {
          rig.write(memory, 0, Bytes(4096, 0xee));
          backend::Fill fill;
          fill.to = range_of(memory, at * pattern, count * pattern);
          fill.pattern = scalar_of<std::uint64_t>(0x8877665544332211);
          fill.pattern_size = pattern;
          rig.run(List({fill}));
          Bytes expected(4096, 0xee);
          for (std::uint64_t i = 0; i < count * pattern; ++i)
            expected[at * pattern + i] = static_cast<std::uint8_t>(0x11 * (i % pattern + 1));
          ASSERT_EQ(rig.read<std::uint8_t>(memory, 0, 4096), expected) << pattern << " at " << at << " times " << count;
        }
      }
    }
  });
}

TEST_F(VulkanQueueTest, LargeFillsOfEightBytes) {
  each([](VulkanRig& rig) {
    constexpr std::uint64_t count = (1 << 17) + 3;
    const auto memory = rig.allocate(count * 8);
    backend::Fill fill;
    fill.to = range_of(memory, 0, count * 8);
    fill.pattern = scalar_of<std::uint64_t>(0x0102030405060708);
    fill.pattern_size = 8;
    rig.run(List({fill}));
    EXPECT_EQ(rig.read<std::uint64_t>(memory, 0, count), std::vector<std::uint64_t>(count, 0x0102030405060708));
  });
}

TEST_F(VulkanQueueTest, SerialsCountNearTheEndOf64Bits) {
  constexpr std::uint64_t first = ~std::uint64_t{0} - 3;
  each(
      [&](VulkanRig& rig) {
        EXPECT_EQ(must(rig.device->reached(rig.queue)), first);
        for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(rig.submit(List()), first + i);
        rig.finish(first + 3);
        EXPECT_EQ(must(rig.device->reached(rig.queue)), first + 3);
      },
      first);
}

// Slots of finished submissions are used again: memory of the driver does not grow.
TEST_F(VulkanQueueTest, ManySubmissionsInFlight) {
  each([](VulkanRig& rig) {
    const auto memory = rig.buffer(Words(64, 0));
    const std::uint32_t most = rig.device->info().limits.max_in_flight;
    std::vector<Words> results(most, Words(64));
    for (std::uint32_t round = 0; round < 20; ++round) {
      std::uint64_t serial = 0;
      std::vector<List> lists;
      for (std::uint32_t i = 0; i < most; ++i) {
        List list;
        backend::Fill fill;
        fill.to = range_of(memory, 0, 256);
        fill.pattern = scalar_of(round * 1000 + i);
        fill.pattern_size = 4;
        list.add(fill).add(VulkanRig::download(results[i], memory, 0)).barrier();
        lists.push_back(list);
      }
      for (const List& list : lists) serial = rig.submit(list);
      rig.finish(serial);
      for (std::uint32_t i = 0; i < most; ++i) ASSERT_EQ(results[i], Words(64, round * 1000 + i));
    }
  });
}

TEST_F(VulkanQueueTest, WhatIsReachedIsDelivered) {
  each([](VulkanRig& rig) {
    const auto memory = rig.buffer(Words(16, 5));
    for (std::uint32_t i = 0; i < 200; ++i) {
      Words result(16, 0);
      const List list({VulkanRig::download(result, memory, 0)});
      const std::uint64_t serial = rig.submit(list);
      while (must(rig.device->reached(rig.queue)) < serial) std::this_thread::yield();
      ASSERT_EQ(result, Words(16, 5));
    }
  });
}

TEST_F(VulkanQueueTest, WaitsEndAtTheirDeadline) {
  each([](VulkanRig& rig) {
    const std::uint64_t serial = rig.submit(List());
    rig.finish(serial);
    const auto late = rig.device->wait(rig.queue, serial + 1, Clock::now() + std::chrono::milliseconds(20));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), Errc::timeout);
    const auto past = rig.device->wait(rig.queue, serial + 1, Clock::now() - std::chrono::hours(1));
    ASSERT_FALSE(past);
    EXPECT_EQ(past.error().code(), Errc::timeout);
  });
}

// A queue that is gone had reached everything; what waits for it does not mind.
TEST_F(VulkanQueueTest, QueuesWaitForEachOther) {
  each([](VulkanRig& rig) {
    const auto memory = rig.buffer(Words(1024, 1));
    auto other = must(rig.device->create_queue({QueueKind::copy, 1000, {}}));
    Words result(1024);
    for (std::uint32_t i = 0; i < 50; ++i) {
      backend::Fill fill;
      fill.to = range_of(memory, 0, 4096);
      fill.pattern = scalar_of(i);
      fill.pattern_size = 4;
      const List filled({fill}), read({VulkanRig::download(result, memory, 0)});
      const std::uint64_t first = rig.submit(filled);
      const std::vector<QueuePoint> after{{rig.queue, first}};
      const std::uint64_t second = must(rig.device->submit(other, after, read));
      EXPECT_EQ(second, 1001 + i);
      const std::vector<QueuePoint> back{{other, second}};
      rig.finish(must(rig.device->submit(rig.queue, back, {})));
      must(rig.device->wait(other, second, soon()));
      ASSERT_EQ(result, Words(1024, i));
    }
    rig.device->destroy_queue(other);
    const std::vector<QueuePoint> gone{{other, 1050}};
    rig.finish(must(rig.device->submit(rig.queue, gone, {})));
  });
}

TEST_F(VulkanQueueTest, HostCallsStandInOrder) {
  each([](VulkanRig& rig) {
    const auto memory = rig.buffer(Words(16, 1));
    Words before(16), source(16, 0), after(16);
    std::function<void()> call = [&] { std::ranges::fill(source, before[3] + 41); };
    const List list({VulkanRig::download(before, memory, 0), call_of(call), VulkanRig::upload(memory, 0, source),
                     VulkanRig::download(after, memory, 0)});
    List ordered = list;
    ordered.commands[3].barrier_before = true;
    rig.run(ordered);
    EXPECT_EQ(after, Words(16, 42));
  });
}

// Host memory that one copy writes and another reads, in one list and across queues.
TEST_F(VulkanQueueTest, CopiesThroughHostMemoryStandInOrder) {
  for (const std::size_t count : {std::size_t{16}, std::size_t{1} << 18}) {
    each([&](VulkanRig& rig) {
      const auto from = rig.buffer(Words(count, 8)), to = rig.allocate(count * 4);
      Words between(count, 0), result(count, 0);
      List list;
      list.add(VulkanRig::download(between, from, 0)).add(VulkanRig::upload(to, 0, between)).barrier();
      list.add(VulkanRig::download(result, to, 0)).barrier();
      rig.run(list);
      EXPECT_EQ(result, Words(count, 8));
      const auto other = must(rig.device->create_queue({QueueKind::compute, 0, {}}));
      rig.write(from, 0, Words(count, 9));
      const List down({VulkanRig::download(between, from, 0)}), up({VulkanRig::upload(to, 0, between)});
      const std::vector<QueuePoint> after{{rig.queue, rig.submit(down)}};
      must(rig.device->wait(other, must(rig.device->submit(other, after, up)), soon()));
      rig.device->destroy_queue(other);
      EXPECT_EQ(rig.read<std::uint32_t>(to, 0, count), Words(count, 9));
    });
  }
}

TEST_F(VulkanQueueTest, TimestampsRiseAlongAList) {
  each([](VulkanRig& rig) {
    if (!rig.has(Feature::timestamp)) return;
    constexpr std::uint64_t count = 40;
    const auto ticks = rig.buffer(std::vector<std::uint64_t>(count, 0));
    const auto work = rig.allocate(1 << 20);
    List list;
    for (std::uint64_t i = 0; i < count; ++i) {
      backend::Fill fill;
      fill.to = range_of(work, 0, 1 << 20);
      fill.pattern_size = 4;
      list.add(backend::Timestamp{range_of(ticks, i * 8, 8)}).add(fill).barrier();
    }
    rig.run(list);
    const auto read = rig.read<std::uint64_t>(ticks, 0, count);
    EXPECT_TRUE(std::ranges::is_sorted(read));
    EXPECT_GT(read.back(), read.front());
  });
}

TEST_F(VulkanQueueTest, ThreadsHaveTheirQueuesConcurrently) {
  each([](VulkanRig& rig) {
    std::vector<std::thread> threads;
    std::mutex submitting;  // as core's lock does
    for (std::uint32_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        const auto memory = must(rig.device->allocate(sized(4096)));
        backend::QueueId queue;
        {
          const std::lock_guard lock(submitting);
          queue = must(rig.device->create_queue({QueueKind::compute, thread, {}}));
        }
        for (std::uint32_t i = 0; i < 100; ++i) {
          backend::Fill fill;
          fill.to = range_of(memory, 0, 4096);
          fill.pattern = scalar_of(thread * 1000 + i);
          fill.pattern_size = 4;
          Words result(1024);
          List list;
          list.add(fill).add(VulkanRig::download(result, memory, 0)).barrier();
          std::unique_lock lock(submitting);
          const std::uint64_t serial = must(rig.device->submit(queue, {}, list));
          lock.unlock();
          must(rig.device->wait(queue, serial, soon()));
          EXPECT_EQ(result, Words(1024, thread * 1000 + i));
        }
        const std::lock_guard lock(submitting);
        rig.device->destroy_queue(queue);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

}  // namespace
}  // namespace pintle::test
