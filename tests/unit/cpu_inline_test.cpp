// cpu?inline: the thread that waits runs what is submitted.
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "cpu_support.h"

namespace pintle::test {
namespace {

using backend::QueueId;

TEST(CpuInline, NothingRunsUntilSomebodyWaits) {
  CpuRig rig(std::vector<Option>{{"inline", ""}});
  std::thread::id ran;
  std::function<void()> note = [&] { ran = std::this_thread::get_id(); };
  const List list({call_of(note)});
  const auto serial = must(rig.device->submit(rig.queue, {}, list));
  EXPECT_EQ(must(rig.device->reached(rig.queue)), 0u);
  EXPECT_EQ(ran, std::thread::id());
  rig.finish(serial);
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(CpuInline, AWaitWithAPastDeadlineStillMakesProgress) {
  CpuRig rig(std::vector<Option>{{"inline", ""}});
  const List empty;
  must(rig.device->submit(rig.queue, {}, empty));
  const auto serial = must(rig.device->submit(rig.queue, {}, empty));
  const auto first = rig.device->wait(rig.queue, serial, Clock::now());
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code(), Errc::timeout);
  EXPECT_EQ(must(rig.device->reached(rig.queue)), 1u);
  EXPECT_TRUE(rig.device->wait(rig.queue, serial, Clock::now()).has_value());
}

TEST(CpuInline, AWaitInsideAHostCallIsRefused) {
  CpuRig rig(std::vector<Option>{{"inline", ""}});
  Result<void> inner;
  std::uint64_t second = 0;
  std::function<void()> nest = [&] { inner = rig.device->wait(rig.queue, second, Deadline::max()); };
  const List nested({call_of(nest)}), empty;
  must(rig.device->submit(rig.queue, {}, nested));
  second = must(rig.device->submit(rig.queue, {}, empty));
  rig.finish(second);
  ASSERT_FALSE(inner);
  EXPECT_EQ(inner.error().code(), Errc::invalid_argument);
}

TEST(CpuInlineConcurrency, AThreadThatFindsItDrivenWaits) {
  CpuRig rig(std::vector<Option>{{"inline", ""}});
  std::atomic<int> stage{0};
  std::function<void()> meet = [&] {
    ++stage;
    while (stage < 2) std::this_thread::yield();
  };
  const List list({call_of(meet)});
  const auto serial = must(rig.device->submit(rig.queue, {}, list));
  std::thread driver([&] { rig.finish(serial); });
  while (stage < 1) std::this_thread::yield();
  const auto hurried = rig.device->wait(rig.queue, serial, Clock::now() + std::chrono::milliseconds(1));
  ++stage;
  ASSERT_FALSE(hurried);
  EXPECT_EQ(hurried.error().code(), Errc::timeout);
  rig.finish(serial);
  driver.join();
}

// A pass over the queues that skips one whose work it was looking for would find nothing to run, and sleep for ever.
TEST(CpuInlineConcurrency, AQueueThatGoesHidesNoOthersWork) {
  CpuRig rig(std::vector<Option>{{"inline", ""}});
  const List empty;
  constexpr int rounds = 2000;
  QueueId early{};
  std::atomic<int> begun{0}, ended{0};
  std::thread other([&] {
    for (int round = 1; round <= rounds; ++round) {
      while (begun < round) {
      }
      rig.device->destroy_queue(early);
      ended = round;
    }
  });
  for (int round = 1; round <= rounds; ++round) {
    early = must(rig.device->create_queue({}));
    const QueueId late = must(rig.device->create_queue({}));
    const auto serial = must(rig.device->submit(late, {}, empty));
    begun = round;
    EXPECT_TRUE(rig.device->wait(late, serial, soon()).has_value()) << "round " << round;
    while (ended < round) std::this_thread::yield();
    rig.device->destroy_queue(late);
  }
  other.join();
}

}  // namespace
}  // namespace pintle::test
