#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>
#include <thread>

#include "null_support.h"
#include "seam_support.h"

namespace pintle::test {
namespace {

using backend::QueueId;
using backend::QueuePoint;
using testing::ElementsAre;
using testing::HasSubstr;

QueueId queue_of(backend::Device& device, std::uint64_t first = 0) {
  return must(device.create_queue({QueueKind::compute, first, "test"}));
}

TEST(NullDevice, SaysThatItExecutesNothing) {
  const auto driver = null::create_driver();
  EXPECT_EQ(driver->name(), "null");
  const backend::Enumeration found = driver->enumerate();
  ASSERT_EQ(found.devices.size(), 1u);
  const DeviceInfo& info = found.devices[0];
  EXPECT_EQ(info.id, "null");
  EXPECT_EQ(info.kind, DeviceKind::simulated);
  EXPECT_EQ(info.progress, Progress::driven);
  EXPECT_THAT(info.formats, ElementsAre("*"));
  EXPECT_EQ(info.capability(Feature::execution).support, Support::absent);
  for (int i = 1; i <= static_cast<int>(Feature::optional_buffers); ++i) {
    const Capability row = info.capability(static_cast<Feature>(i));
    EXPECT_NE(row.detail, "not listed") << name(row.feature);
    EXPECT_EQ(row.detail.empty(), row.support == Support::native) << name(row.feature);
  }
}

TEST(NullDevice, AbsentFeaturesAreRefused) {
  const auto device = open_null();
  const auto memory = must(device->allocate(sized(16)));
  EXPECT_EQ(device->map(memory).error().code(), Errc::unsupported);
  EXPECT_EQ(device->record({}).error().code(), Errc::unsupported);
  EXPECT_EQ(device->notify(queue_of(*device), 0, {}).error().code(), Errc::unsupported);
  EXPECT_THAT(std::string(device->calibrate().error().message()), HasSubstr("[null]"));
}

TEST(NullDevice, OptionsAreStrict) {
  const auto driver = null::create_driver();
  const auto message = [&](std::vector<Option> options) {
    const auto opened = driver->open(0, options);
    EXPECT_FALSE(opened);
    if (opened) return std::string();
    EXPECT_EQ(opened.error().code(), Errc::invalid_argument);
    return std::string(opened.error().message());
  };
  EXPECT_EQ(message({{"colour", "red"}}), "[null] has no option (\"colour\"); it has (memory).");
  EXPECT_EQ(message({{"memory", "lots"}}),
            "The value (\"lots\") of the option memory of [null] is not a number of bytes, at least 1.");
  EXPECT_THAT(message({{"memory", "0"}}), HasSubstr("at least 1"));
  EXPECT_THAT(message({{"memory", "-1"}}), HasSubstr("at least 1"));
  EXPECT_THAT(message({{"memory", ""}}), HasSubstr("at least 1"));
  EXPECT_EQ(message({{"memory", "1"}, {"memory", "2"}}), "The option \"memory\" of [null] is given twice.");
}

TEST(NullDevice, MemoryIsAccounted) {
  const auto device = open_null({{"memory", "1000"}});
  EXPECT_EQ(device->info().limits.max_allocation, 1000u);
  const auto first = must(device->allocate(sized(600)));
  const auto refused = device->allocate(sized(401));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::out_of_memory);
  EXPECT_EQ(refused.error().message(), "Allocation size (401) is larger than the memory available (400) on [null].");
  const auto second = must(device->allocate(sized(400)));
  EXPECT_NE(first, second);
  EXPECT_EQ(must(device->budget())[0].available, 0u);
  device->release(first);
  const Heap heap = must(device->budget())[0];
  EXPECT_EQ(heap.total, 1000u);
  EXPECT_EQ(heap.used, 400u);
  EXPECT_EQ(heap.available, 600u);
  EXPECT_NE(must(device->allocate(sized(600))), first) << "ids are not used again";
}

TEST(NullDevice, TheWholeAddressSpaceDoesNotOverflow) {
  const auto device = open_null({{"memory", "18446744073709551615"}});
  must(device->allocate(sized(1)));
  EXPECT_EQ(device->allocate(sized(std::numeric_limits<std::uint64_t>::max())).error().code(), Errc::out_of_memory);
}

TEST(NullDevice, SerialsStartWhereTheyAreTold) {
  const auto device = open_null();
  const std::uint64_t first = std::numeric_limits<std::uint64_t>::max() - 3;
  const QueueId queue = queue_of(*device, first);
  EXPECT_EQ(must(device->reached(queue)), first);
  EXPECT_EQ(must(device->submit(queue, {}, {})), first + 1);
  EXPECT_EQ(must(device->submit(queue, {}, {})), first + 2);
  EXPECT_EQ(must(device->reached(queue)), first + 2);
  EXPECT_TRUE(device->wait(queue, first + 2, Clock::now()));
}

TEST(NullDevice, HostCallsRunOnceInOrderAndNotInSubmit) {
  const auto device = open_null();
  const QueueId queue = queue_of(*device);
  std::string order;
  std::function<void()> a = [&] { order += 'a'; }, b = [&] { order += 'b'; }, c = [&] { order += 'c'; };
  must(device->submit(queue, {}, List({call_of(a), call_of(b)})));
  must(device->submit(queue, {}, List({call_of(c)})));
  EXPECT_EQ(order, "");
  EXPECT_EQ(must(device->reached(queue)), 2u);
  EXPECT_EQ(order, "abc");
  must(device->wait(queue, 2, soon()));
  EXPECT_EQ(order, "abc");
}

TEST(NullDevice, WaitsOrderQueues) {
  const auto device = open_null();
  const QueueId one = queue_of(*device), two = queue_of(*device, 10);
  std::string order;
  std::function<void()> a = [&] { order += 'a'; }, b = [&] { order += 'b'; }, c = [&] { order += 'c'; };
  const std::uint64_t head = must(device->submit(two, {}, List({call_of(a)})));
  const std::uint64_t middle = must(device->submit(one, {{{two, head}}}, List({call_of(b)})));
  const std::uint64_t tail = must(device->submit(two, {{{one, middle}}}, List({call_of(c)})));
  must(device->wait(two, tail, soon()));
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(must(device->reached(one)), middle);
}

TEST(NullDevice, AQueueThatIsGoneHadReachedEverything) {
  const auto device = open_null();
  const QueueId one = queue_of(*device), two = queue_of(*device);
  const std::uint64_t done = must(device->submit(two, {}, {}));
  must(device->wait(two, done, soon()));
  must(device->submit(one, {{{two, done}}}, {}));
  device->destroy_queue(two);
  EXPECT_EQ(must(device->reached(one)), 1u);
}

TEST(NullDevice, WhatNobodyWillAnswerTimesOutAtOnce) {
  const auto device = open_null();
  const QueueId queue = queue_of(*device);
  const auto waited = device->wait(queue, 1, Deadline::max());
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code(), Errc::timeout);
  EXPECT_EQ(waited.error().message(), "Serial (1) of queue (1) of [null] is not reached at the deadline.");
}

TEST(NullDevice, AHostCallMayLookAtItsOwnQueue) {
  const auto device = open_null();
  const QueueId queue = queue_of(*device), other = queue_of(*device);
  std::uint64_t seen = 99, others = 99;
  std::function<void()> look = [&] {
    seen = must(device->reached(queue));
    others = must(device->reached(other));
  };
  must(device->submit(queue, {}, List({call_of(look)})));
  must(device->submit(other, {}, {}));
  must(device->wait(queue, 1, soon()));
  EXPECT_EQ(seen, 0u);
  EXPECT_EQ(others, 1u);
}

TEST(NullDevice, AnUnknownQueueIsAnErrorNotACrash) {
  const auto device = open_null();
  EXPECT_EQ(device->reached(QueueId{77}).error().code(), Errc::internal);
}

TEST(NullDeviceConcurrency, EachCallRunsOnceWhoeverLooks) {
  constexpr int queues = 3, submissions = 300, lookers = 3;
  const auto device = open_null();
  std::vector<QueueId> ids;
  for (int i = 0; i < queues; ++i) ids.push_back(queue_of(*device));
  // Each queue's calls count up, and each must find its own number: order and "exactly once" at the same time.
  std::array<std::atomic<int>, queues> counts{};
  std::atomic<int> disordered{0};
  std::vector<std::function<void()>> calls;
  calls.reserve(queues * submissions);
  for (int s = 0; s < submissions; ++s) {
    for (int q = 0; q < queues; ++q) {
      calls.emplace_back([&counts, &disordered, s, q] { disordered += counts[static_cast<std::size_t>(q)]++ != s; });
    }
  }
  std::vector<std::thread> threads;
  std::atomic<bool> finished{false};
  for (int i = 0; i < lookers; ++i) {
    threads.emplace_back([&] {
      while (!finished) {
        for (const QueueId id : ids) must(device->reached(id));
      }
    });
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::size_t q = i % queues;
    const List list({call_of(calls[i])});
    const QueuePoint before{ids[(q + queues - 1) % queues], (i + queues - 1) / queues};
    must(device->submit(ids[q], i == 0 ? std::span<const QueuePoint>() : std::span(&before, 1), list));
  }
  for (const QueueId id : ids) must(device->wait(id, submissions, soon()));
  finished = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(disordered, 0);
  for (const auto& count : counts) EXPECT_EQ(count, submissions);
}

}  // namespace
}  // namespace pintle::test
