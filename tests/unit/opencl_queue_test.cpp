#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "opencl_support.h"
#include "pintle/must.h"
#include "pintle/native/opencl.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

class OpenClQueueTest : public OpenClTest {};
class OpenClQueueConcurrency : public OpenClTest {};

void* handle_of(OpenClRig& rig) {
  opencl::OpenClQueue native;
  must(rig.device->native(opencl::OpenClQueue::native_type, static_cast<std::uint64_t>(rig.queue), &native));
  return native.queue;
}

backend::Fill fill_of(backend::Range range, std::uint64_t pattern, std::uint32_t size) {
  backend::Fill fill;
  fill.to = range;
  fill.pattern = scalar_of(pattern);
  fill.pattern_size = size;
  return fill;
}

TEST_F(OpenClQueueTest, SerialsRiseByOneAlsoNearTheEnd) {
  constexpr std::uint64_t first = std::numeric_limits<std::uint64_t>::max() - 40;
  for (std::uint32_t ordinal = 0; ordinal < devices().size(); ++ordinal) {
    OpenClRig rig(ordinal, first);
    EXPECT_EQ(must(rig.device->reached(rig.queue)), first);
    for (std::uint64_t i = 1; i <= 40; ++i) EXPECT_EQ(rig.submit(List()), first + i);
    rig.finish(first + 40);
    EXPECT_EQ(must(rig.device->reached(rig.queue)), first + 40);
  }
}

TEST_F(OpenClQueueTest, BytesGoThereAndBack) {
  on_each([](OpenClRig& rig) {
    std::vector<std::uint8_t> values(100003);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 31 + 7);
    const auto from = rig.buffer(values), to = rig.allocate(values.size());
    List list;
    list.add(backend::Copy{range_of(to, 0, values.size()), range_of(from, 0, values.size())});
    list.add(backend::Copy{range_of(to, 1, 5), range_of(to, 50, 5)});
    rig.run(list);
    std::copy_n(values.begin() + 50, 5, values.begin() + 1);
    EXPECT_EQ(rig.read<std::uint8_t>(to, values.size()), values);
  });
}

TEST_F(OpenClQueueTest, FillsTakePatternsOfEverySize) {
  on_each([](OpenClRig& rig) {
    for (const std::uint32_t size : {1u, 2u, 4u, 8u}) {
      const auto memory = rig.buffer(std::vector<std::uint8_t>(128, 0xee));
      List list;
      list.add(fill_of(range_of(memory, size * 3, size * 5), 0x8877665544332211, size));
      rig.run(list);
      const auto bytes = rig.read<std::uint8_t>(memory, 128);
      for (std::uint32_t i = 0; i < 128; ++i) {
        const bool is_inside = i >= size * 3 && i < size * 8;
        EXPECT_EQ(bytes[i], is_inside ? 0x11 * (i % size + 1) : 0xee) << size << " at " << i;
      }
    }
  });
}

TEST_F(OpenClQueueTest, CommandsWithoutBytesDoNothing) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.buffer(Words{1, 2});
    std::byte nothing{};
    List list;
    list.add(backend::Copy{range_of(memory, 0, 0), range_of(memory, 4, 0)});
    list.add(fill_of(range_of(memory, 8, 0), 1, 1));
    list.add(backend::Upload{range_of(memory, 0, 0), {&nothing, 0, backend::no_slot}});
    list.add(backend::Download{{&nothing, 0, backend::no_slot}, range_of(memory, 8, 0)});
    rig.run(list);
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 2), (Words{1, 2}));
  });
}

TEST_F(OpenClQueueTest, ArgumentsThatChangeAreSet) {
  on_each([](OpenClRig& rig) {
    const auto first = rig.buffer(Words(64, 0)), second = rig.buffer(Words(64, 0));
    List list;
    for (std::uint32_t i = 0; i < 10; ++i) {
      rig.add(list, range_of(first, 0, 256), 1);
      rig.add(list, range_of(second, 0, 256), i);
      rig.add(list, range_of(second, 0, 256), i);
    }
    rig.run(list);
    EXPECT_EQ(rig.read<std::uint32_t>(first, 64), Words(64, 10));
    EXPECT_EQ(rig.read<std::uint32_t>(second, 64), Words(64, 90));
  });
}

TEST_F(OpenClQueueTest, WaitsForOtherQueues) {
  on_each([](OpenClRig& rig) {
    const auto other = must(rig.device->create_queue({QueueKind::compute, 7, {}}));
    const auto memory = rig.buffer(Words(64, 0));
    Words seen(64);
    for (std::uint32_t round = 0; round < 20; ++round) {
      List slow, fast;
      rig.launch(slow, OpenClEntry::spin, {buffer_argument(range_of(memory, 0, 4)), scalar_argument(200000u)});
      slow.add(fill_of(range_of(memory, 0, 256), round, 4));
      fast.add(OpenClRig::download(memory, seen));
      const std::uint64_t serial = rig.submit(slow);
      const std::array waits{backend::QueuePoint{rig.queue, serial}};
      const std::uint64_t last = must(rig.device->submit(other, waits, fast));
      must(rig.device->wait(other, last, soon()));
      EXPECT_EQ(seen, Words(64, round));
    }
    rig.device->destroy_queue(other);
  });
}

TEST_F(OpenClQueueTest, AWaitMayNameAQueueThatHasGone) {
  on_each([](OpenClRig& rig) {
    const auto other = must(rig.device->create_queue({QueueKind::compute, 0, {}}));
    const std::uint64_t serial = must(rig.device->submit(other, {}, List()));
    must(rig.device->wait(other, serial, soon()));
    rig.device->destroy_queue(other);
    rig.finish(rig.submit(List(), {{other, serial}}));
  });
}

TEST_F(OpenClQueueTest, AWaitTimesOutAndTheWorkGoesOn) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.buffer(Words{1});
    std::atomic<bool> may_go{false};
    std::function<void()> hold = [&] {
      while (!may_go) std::this_thread::yield();
    };
    List list;
    list.add(call_of(hold));
    rig.add(list, range_of(memory, 0, 4), 1);
    const std::uint64_t serial = rig.submit(list);
    const auto late = rig.device->wait(rig.queue, serial, Clock::now() + std::chrono::milliseconds(5));
    EXPECT_EQ(late.error().code(), Errc::timeout);
    EXPECT_EQ(must(rig.device->reached(rig.queue)), serial - 1);
    may_go = true;
    rig.finish(serial);
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 1), Words{2});
  });
}

TEST_F(OpenClQueueTest, TellsWhenASerialIsReached) {
  on_each([](OpenClRig& rig) {
    std::atomic<int> count{0};
    const auto memory = rig.buffer(Words(64, 0));
    List list;
    rig.add(list, range_of(memory, 0, 256), 1);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t serial = rig.submit(list);
      must(rig.device->notify(rig.queue, serial,
                              {[](void* state) { ++*static_cast<std::atomic<int>*>(state); }, &count}));
    }
    const Deadline give_up = soon();
    while (count < 20 && Clock::now() < give_up) std::this_thread::yield();
    EXPECT_EQ(count, 20);
  });
}

TEST_F(OpenClQueueTest, HostCallsStandInOrder) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.buffer(Words(16, 1));
    Words before(16), seen;
    std::function<void()> look = [&] { seen = before; };
    List list;
    list.add(fill_of(range_of(memory, 0, 64), 5, 4)).add(OpenClRig::download(memory, before)).add(call_of(look));
    list.add(fill_of(range_of(memory, 0, 64), 6, 4));
    rig.run(list);
    EXPECT_EQ(seen, Words(16, 5));
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 16), Words(16, 6));
  });
}

TEST_F(OpenClQueueTest, GridsAreReadWhenTheyAreDue) {
  on_each([](OpenClRig& rig) {
    const auto grid = rig.buffer(Words{1, 1, 1}), out = rig.buffer(Words(256, 0));
    for (const auto& [counts, expected] :
         {std::pair(Words{2, 1, 1}, 128u), std::pair(Words{9, 9, 9}, 192u), std::pair(Words{0, 1, 1}, 0u)}) {
      List list;
      list.add(OpenClRig::upload(grid, counts)).add(fill_of(range_of(out, 0, 1024), 0, 4));
      rig.launch(list, OpenClEntry::add,
                 {buffer_argument(range_of(out, 0, 1024)), scalar_argument(1u), scalar_argument(256u)}, 3);
      auto exec = *std::get_if<backend::Exec>(&list.commands.back().operation);
      list.commands.back().operation = backend::ExecIndirect{exec, range_of(grid, 0, 12)};
      rig.run(list);
      Words words(256, 0);
      std::fill_n(words.begin(), expected, 1u);
      EXPECT_EQ(rig.read<std::uint32_t>(out, 256), words);
    }
  });
}

TEST_F(OpenClQueueTest, TimestampsLieBetweenCalibrations) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.buffer(std::vector<std::uint64_t>{0, 0});
    const auto before = must(rig.device->calibrate());
    List list;
    list.add(backend::Timestamp{range_of(memory, 0, 8)});
    list.add(backend::Timestamp{range_of(memory, 8, 8)});
    rig.run(list);
    const auto after = must(rig.device->calibrate());
    const auto ticks = rig.read<std::uint64_t>(memory, 2);
    EXPECT_LE(before.device_ticks, ticks[0]);
    EXPECT_LE(ticks[0], ticks[1]);
    EXPECT_LE(ticks[1], after.device_ticks);
    EXPECT_LT(before.host - before.error, after.host + after.error);
    EXPECT_GE(after.error, Duration::zero());
  });
}

/// Its handle stays the same once it has been asked for, and the change loses no order.
TEST_F(OpenClQueueTest, MeasuringBeginsBehindAllThatIsSubmitted) {
  on_each([](OpenClRig& rig) {
    constexpr std::uint32_t launches = 500;
    const auto memory = rig.buffer(Words(64, 0)), times = rig.buffer(std::vector<std::uint64_t>{0, 0});
    List many, timed;
    for (std::uint32_t i = 0; i < launches; ++i) rig.add(many, range_of(memory, 0, 256), 1);
    Words seen(64);
    timed.add(backend::Timestamp{range_of(times, 0, 8)}).add(OpenClRig::download(memory, seen));
    rig.add(timed, range_of(memory, 0, 256), 1);
    timed.add(backend::Timestamp{range_of(times, 8, 8)});
    rig.submit(many);
    const auto last = rig.submit(timed);
    void* const first_handle = handle_of(rig);
    rig.finish(last);
    EXPECT_EQ(seen, Words(64, launches));
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 64), Words(64, launches + 1));
    const auto ticks = rig.read<std::uint64_t>(times, 2);
    EXPECT_GT(ticks[0], 0u);
    EXPECT_LE(ticks[0], ticks[1]);
    EXPECT_EQ(handle_of(rig), first_handle);
  });
}

TEST_F(OpenClQueueTest, AHandleThatWasAskedForStays) {
  on_each([](OpenClRig& rig) {
    void* const before = handle_of(rig);
    const auto times = rig.buffer(std::vector<std::uint64_t>{0});
    List timed;
    timed.add(backend::Timestamp{range_of(times, 0, 8)});
    rig.run(timed);
    EXPECT_EQ(handle_of(rig), before);
  });
}

TEST_F(OpenClQueueTest, SubmissionsBehindAStepKeepTheirOrder) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.buffer(Words(64, 1));
    std::vector<int> order;
    std::array<std::function<void()>, 20> calls;
    std::array<List, 20> steps;
    List plain;
    rig.add(plain, range_of(memory, 0, 256), 1);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls[i] = [&order, i] { order.push_back(static_cast<int>(i)); };
      steps[i].add(call_of(calls[i]));
      last = rig.submit(steps[i]);
      if (i % 2 == 0) rig.finish(last);
      last = rig.submit(plain);
    }
    rig.finish(last);
    EXPECT_TRUE(std::ranges::is_sorted(order));
    EXPECT_EQ(order.size(), calls.size());
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 64), Words(64, 21));
  });
}

TEST_F(OpenClQueueTest, ManySubmissionsMayBeUnfinished) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.buffer(Words(64, 0));
    List list;
    rig.add(list, range_of(memory, 0, 256), 1);
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < rig.device->info().limits.max_in_flight; ++i) last = rig.submit(list);
    rig.finish(last);
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 64), Words(64, 256));
  });
}

TEST_F(OpenClQueueTest, ProbesAreHealthy) {
  on_each([](OpenClRig& rig) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(rig.device->probe());
  });
}

TEST_F(OpenClQueueTest, AQueueThatHasGoneIsAnErrorAndNoCrash) {
  on_each([](OpenClRig& rig) {
    rig.device->destroy_queue(rig.queue);
    EXPECT_EQ(rig.device->reached(rig.queue).error().code(), Errc::internal);
  });
}

/// The driver goes on with what it is left, and is waited for: a process that ends meanwhile takes the driver's own
/// static objects from under it. Core waits for devices before that.
TEST_F(OpenClQueueTest, DevicesCloseWithWorkUnfinished) {
  on_each([](OpenClRig& rig) {
    Words target(1 << 18);
    const auto memory = rig.buffer(Words(1 << 18, 1));
    List list;
    for (int i = 0; i < 4; ++i) rig.add(list, range_of(memory, 0, 4 << 18), 1);
    list.add(OpenClRig::download(memory, target));
    rig.submit(list);
    rig.device.reset();
    const Deadline end = soon();
    for (std::uint32_t& word : target) {
      while (std::atomic_ref(word).load() != 5) {
        if (Clock::now() > end) std::abort();  // a test that returned would take the target from under the driver
        std::this_thread::yield();
      }
    }
  });
}

/// One kernel, from several queues and threads at one time: each launch has its own arguments.
TEST_F(OpenClQueueConcurrency, QueuesShareKernels) {
  on_each([](OpenClRig& rig) {
    constexpr std::uint32_t threads = 3, rounds = 40;
    static_cast<void>(rig.program());
    std::array<backend::QueueId, threads> queues{};
    std::array<backend::MemoryId, threads> memories{};
    for (std::uint32_t i = 0; i < threads; ++i) {
      queues[i] = must(rig.device->create_queue({QueueKind::compute, 0, {}}));
      memories[i] = rig.buffer(Words(256, 0));
    }
    std::array<std::thread, threads> all;
    std::mutex submitting;  // core holds a lock around submit
    for (std::uint32_t i = 0; i < threads; ++i) {
      all[i] = std::thread([&, i] {
        List list;
        rig.add(list, range_of(memories[i], 0, 1024), i + 1);
        for (std::uint32_t round = 0; round < rounds; ++round) {
          std::unique_lock lock(submitting);
          const std::uint64_t serial = must(rig.device->submit(queues[i], {}, list));
          lock.unlock();
          if (round % 4 == i) must(rig.device->wait(queues[i], serial, soon()));
        }
        must(rig.device->wait(queues[i], rounds, soon()));
      });
    }
    for (std::thread& thread : all) thread.join();
    for (std::uint32_t i = 0; i < threads; ++i) {
      EXPECT_EQ(rig.read<std::uint32_t>(memories[i], 256), Words(256, rounds * (i + 1)));
    }
  });
}

}  // namespace
}  // namespace pintle::test
