// What comes and goes leaves nothing behind: the bytes in use after fifty rounds are those after twenty-five.
#include "core/buffers/buffer_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/inside.h"
#include "growth/live_bytes.h"
#include "unit/cpu_support.h"
#include "unit/device_over.h"

namespace pintle::growth {
namespace {

constexpr int warm_up = 300;  // more than what is remembered of devices that have ended
constexpr int half = 25;
constexpr std::int64_t most_a_round = 8;  // numbers in texts get longer

void expect_no_growth(const std::function<void()>& round) {
  for (int i = 0; i < warm_up; ++i) round();
  for (int i = 0; i < half; ++i) round();
  const std::int64_t before = live_bytes();
  for (int i = 0; i < half; ++i) round();
  const std::int64_t grown = live_bytes() - before;
  EXPECT_LT(grown, half * most_a_round) << "bytes";
}

/// A device like a vendor's, which is ended with the process.
std::unique_ptr<backend::Device> vendors_device() {
  auto device = std::make_unique<test::Scripted>(test::Scripted::Answers{});
  device->editable_info().kind = DeviceKind::discrete_gpu;
  return device;
}

// A program may have a queue for each of its objects.
TEST(Growth, OfIdleQueues) {
  constexpr int count = 200;
  constexpr std::int64_t most = 16 << 10;
  const Device device = must(open("cpu?inline"));
  std::vector<Queue> queues;
  const std::int64_t before = live_bytes();
  for (int i = 0; i < count; ++i) {
    queues.push_back(must(device.create_queue()));
    must(queues.back().submit_and_wait(CommandList{}));
  }
  EXPECT_LE((live_bytes() - before) / count, most) << "bytes of a queue";
}

TEST(Growth, OfOpenedDevices) {
  expect_no_growth([] {
    const Device device = must(open("cpu?inline"));
    must(must(device.create_queue()).submit_and_wait(CommandList{}));
  });
}

TEST(Growth, OfDevicesThatEndWithTheProcess) {
  expect_no_growth([] {
    const Device device = test::device_over("vendor", vendors_device());
    must(must(device.create_queue()).submit_and_wait(CommandList{}));
  });
}

TEST(Growth, OfRecoveries) {
  const Device device = must(open("faulty(cpu?inline)?call=submit&ordinal=1&times=0&code=device_lost"));
  expect_no_growth([&] {
    Queue queue = must(device.create_queue());
    EXPECT_FALSE(queue.submit(CommandList{}));
    must(device.recover());
  });
}

TEST(Growth, OfPairsOfDevices) {
  const Device here = must(open("cpu?inline"));
  Queue queue = must(here.create_queue());
  const Buffer to = must(here.allocate(DType::u32, {64}));
  expect_no_growth([&] {
    const Device there = must(open("validate(cpu?inline)"));
    const Buffer from = must(there.allocate(DType::u32, {64}));
    must(queue.submit_and_wait(CommandList{}.copy(to, from)));
  });
}

TEST(Growth, OfQueuesThatUseOneBuffer) {
  const Device device = must(open("cpu?inline"));
  const Buffer buffer = must(device.allocate(DType::u32, {64}));
  expect_no_growth([&] { must(must(device.create_queue()).submit_and_wait(CommandList{}.fill(buffer, 1u))); });
}

TEST(Growth, OfRecordingsAndPools) {
  const Device device = must(open("cpu?inline"));
  Queue queue = must(device.create_queue());
  expect_no_growth([&] {
    Pool pool = must(Pool::create(device));
    const Buffer buffer = must(queue.allocate(pool, DType::u32, {64}));
    const Recording recording = must(device.record(CommandList{}.fill(buffer, 1u)));
    must(must(queue.replay(recording)).wait());
  });
}

// A submission looks at every stamp of what it names.
TEST(Growth, OfStampsFollowsTheQueuesInFlight) {
  core::BufferTable* table = nullptr;
  const Device device = must(open("cpu?inline"));
  table = &Inside::state(device)->current()->buffers();
  const Buffer buffer = must(device.allocate(DType::u32, {64}));
  for (int i = 0; i < 20000; ++i) must(must(device.create_queue()).submit_and_wait(CommandList{}.fill(buffer, 1u)));
  const core::Locked locked = table->life().lock();
  std::size_t stamps = 0;
  table->records(locked).for_each(
      [&](std::uint64_t, const core::BufferRecord& record) { stamps = std::max(stamps, record.stamps.size()); });
  EXPECT_GT(stamps, 0u);
  EXPECT_LE(stamps, 8u);
}

}  // namespace
}  // namespace pintle::growth
