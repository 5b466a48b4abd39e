// What a thread that waits on the cpu device runs itself, and what it leaves to workers.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu_support.h"
#include "pintle/must.h"
#include "pintle/native/cpu.h"

namespace pintle::test {
namespace {

using namespace std::chrono_literals;
using backend::QueuePoint;

/// What the kernels do and saw; one test at a time.
struct Seen {
  std::atomic<int> groups{0};
  std::atomic<int> here{0};  // groups that ran on the thread that waits
  std::atomic<std::int64_t> pause{0};
  std::atomic<bool> is_held{false};
};
Seen seen;
thread_local bool waits_here = false;

void note() {
  ++seen.groups;
  if (waits_here) ++seen.here;
}

void kernel_note(const pintle_group*, void* const*) { note(); }

void kernel_pause(const pintle_group*, void* const*) {
  note();
  while (seen.is_held) std::this_thread::yield();
  if (const std::int64_t pause = seen.pause; pause != 0) std::this_thread::sleep_for(Duration(pause));
}

void kernel_scratch(const pintle_group* group, void* const*) {
  note();
  std::memset(group->local, 1, group->local_bytes);
}

enum Entry : std::uint32_t { short_one, pausing, scratch };

class CpuWaitingConcurrency : public testing::TestWithParam<const char*> {
 protected:
  CpuWaitingConcurrency() : rig(std::vector<Option>{{"threads", GetParam()}}) {
    must(cpu::register_kernel("waiting_note", kernel_note));
    must(cpu::register_kernel("waiting_pause", kernel_pause));
    must(cpu::register_kernel("waiting_scratch", kernel_scratch));
    program = rig.native({"waiting_note()", "waiting_pause()", "waiting_scratch() local 65536"});
    waits_here = true;
    forget();
  }
  ~CpuWaitingConcurrency() override { waits_here = false; }

  static void forget() {
    seen.groups = seen.here = 0;
    seen.pause = 0;
    seen.is_held = false;
  }
  List launch_of(Entry entry, std::uint32_t groups = 1) const { return launch(program, entry, {groups, 1, 1}, {}); }
  std::uint64_t submit(const List& list, std::span<const QueuePoint> waits = {}) {
    return must(rig.device->submit(rig.queue, waits, list));
  }
  /// Until this thread has run one itself: then the next is left for it. Nobody promises that one more does.
  void wait_until_left(const List& list) {
    const Deadline give_up = soon();
    for (seen.here = 0; seen.here < 3 && Clock::now() < give_up;) rig.finish(submit(list));
    ASSERT_GE(seen.here, 3);
  }
  static bool comes_true(const std::function<bool()>& condition) {
    const Deadline give_up = soon();
    while (!condition() && Clock::now() < give_up) std::this_thread::yield();
    return condition();
  }

  // The calls that core makes one at a time.
  Result<backend::QueueId> create() {
    const std::lock_guard lock(mutex);
    return rig.device->create_queue({});
  }
  Result<std::uint64_t> submit_locked(backend::QueueId queue, const List& list) {
    const std::lock_guard lock(mutex);
    return rig.device->submit(queue, {}, list);
  }

  CpuRig rig;
  backend::ProgramId program{};
  std::mutex mutex;
};

INSTANTIATE_TEST_SUITE_P(Threads, CpuWaitingConcurrency, testing::Values("1", "2", "4"),
                         [](const auto& info) { return std::string("threads") + info.param; });

TEST_P(CpuWaitingConcurrency, AShortKernelRunsOnTheThreadThatWaits) {
  const List list = launch_of(short_one);
  wait_until_left(list);
  const int groups = seen.groups;
  rig.finish(submit(list));
  EXPECT_EQ(seen.groups, groups + 1);
}

TEST_P(CpuWaitingConcurrency, WhatNobodyWaitsForStartsAllTheSame) {
  const List list = launch_of(short_one);
  for (int round = 0; round < 20; ++round) {
    wait_until_left(list);
    const int groups = seen.groups;
    submit(list);
    ASSERT_TRUE(comes_true([&] { return seen.groups == groups + 1; })) << round;
  }
}

TEST_P(CpuWaitingConcurrency, WhoAsksAndDoesNotWaitGetsItStarted) {
  const List list = launch_of(short_one);
  wait_until_left(list);
  const std::uint64_t polled = submit(list);
  EXPECT_TRUE(comes_true([&] { return must(rig.device->reached(rig.queue)) >= polled; }));
  wait_until_left(list);
  std::atomic<bool> told{false};
  const std::uint64_t noted = submit(list);
  must(rig.device->notify(rig.queue, noted,
                          {[](void* state) { static_cast<std::atomic<bool>*>(state)->store(true); }, &told}));
  EXPECT_TRUE(comes_true([&] { return told.load(); }));
}

TEST_P(CpuWaitingConcurrency, AQueueThatWaitsForWhatWasLeftGetsItStarted) {
  const List list = launch_of(short_one);
  const auto other = must(rig.device->create_queue({}));
  for (int round = 0; round < 20; ++round) {
    wait_until_left(list);
    const QueuePoint left{rig.queue, submit(list)};
    must(rig.device->wait(other, must(rig.device->submit(other, std::span(&left, 1), list)), soon()));
  }
  rig.device->destroy_queue(other);
}

TEST_P(CpuWaitingConcurrency, AnUnknownKernelIsNotRunUnderADeadline) {
  seen.is_held = true;
  const List list = launch_of(pausing, 16);
  const std::uint64_t serial = submit(list);
  const auto waited = rig.device->wait(rig.queue, serial, Clock::now() + 10ms);
  seen.is_held = false;
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code(), Errc::timeout);
  rig.finish(serial);
  EXPECT_EQ(seen.groups, 16);
}

TEST_P(CpuWaitingConcurrency, AKernelThatTakesMostOfTheTimeThatIsLeftIsNotRun) {
  seen.pause = Duration(20ms).count();
  const List list = launch_of(pausing, 4);
  rig.finish(submit(list));
  forget();
  seen.is_held = true;
  const std::uint64_t serial = submit(list);
  EXPECT_FALSE(rig.device->wait(rig.queue, serial, Clock::now() + 60ms));
  EXPECT_EQ(seen.here, 0);
  seen.is_held = false;
  rig.finish(serial);
}

// The history says nanoseconds: eight groups may pass before the clock is looked at.
TEST_P(CpuWaitingConcurrency, AKernelThatBreaksItsHistoryIsGivenToAWorker) {
  const List lesson = launch_of(pausing), list = launch_of(pausing, 10);
  wait_until_left(lesson);  // ten groups go to a worker at once where a sanitizer makes each of them slow
  forget();
  seen.pause = Duration(30ms).count();
  const std::uint64_t serial = submit(list);
  static_cast<void>(rig.device->wait(rig.queue, serial, Clock::now() + 200ms));
  EXPECT_LE(seen.here, 8);
  seen.pause = 0;
  rig.finish(serial);
  EXPECT_EQ(seen.groups, 10);
}

TEST_P(CpuWaitingConcurrency, ASmallStackRunsNoKernels) {
  const List list = launch_of(scratch, 2000);
  rig.finish(submit(list));
  forget();
  struct Call {
    CpuRig& rig;
    std::uint64_t serial;
  } call{rig, submit(list)};
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);  // a sanitizer needs some of it
  const auto wait = [](void* state) -> void* {
    waits_here = true;
    static_cast<Call*>(state)->rig.finish(static_cast<Call*>(state)->serial);
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, wait, &call), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(seen.groups, 2000);
  EXPECT_EQ(seen.here, 0);
}

TEST_P(CpuWaitingConcurrency, AHostCallNeverRunsOnTheThreadThatWaits) {
  std::atomic<int> calls{0}, here{0};
  std::function<void()> call = [&] {
    ++calls;
    if (waits_here) ++here;
  };
  const List list({call_of(call)}), short_list = launch_of(short_one);
  for (int round = 0; round < 50; ++round) {
    rig.finish(submit(short_list));
    rig.finish(submit(list));
  }
  EXPECT_EQ(calls, 50);
  EXPECT_EQ(here, 0);
}

TEST_P(CpuWaitingConcurrency, AListThatIsGivenAwayInTheMiddleRunsOnceInOrder) {
  List recorded;
  std::vector<int> order;  // no lock: the list orders everything
  std::function<void()> call = [&] { order.push_back(seen.groups); };
  for (int i = 0; i < 3; ++i) {
    const auto exec = launch_of(short_one, 5).commands.front().operation;
    recorded.add(exec).add(call_of(call)).barrier().add(exec).barrier();
  }
  const auto recording = must(rig.device->record(recorded));
  const List first = launch_of(short_one), replay({backend::Replay{recording, {}}});
  for (int round = 0; round < 50; ++round) {
    wait_until_left(first);
    order.clear();
    const int before = seen.groups;
    rig.finish(submit(replay));
    ASSERT_EQ(order, (std::vector<int>{before + 5, before + 15, before + 25}));
    ASSERT_EQ(seen.groups, before + 30);
  }
  rig.device->forget(recording);
}

TEST_P(CpuWaitingConcurrency, ManyThreadsLeaveAndTake) {
  const List list = launch_of(short_one);
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([this, &list, index] {
      const auto own = must(create());
      for (int round = 0; round < 500; ++round) {
        const std::uint64_t serial = must(submit_locked(own, list));
        if (round % 7 == index) continue;  // nobody waits for this one
        must(rig.device->wait(own, serial, round % 5 == 0 ? Clock::now() + 20s : Deadline::max()));
      }
      must(rig.device->wait(own, must(submit_locked(own, list)), soon()));
      const std::lock_guard lock(mutex);
      rig.device->destroy_queue(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.groups, 4 * 501);
}

}  // namespace
}  // namespace pintle::test
