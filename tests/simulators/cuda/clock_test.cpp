// The device's clock: timestamps and calibration by events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "base/dylib.h"
#include "pintle/must.h"
#include "rig.h"

namespace pintle::test {
namespace {

using Ticks = std::vector<std::uint64_t>;

class CudaClock : public testing::Test {
 public:
  ~CudaClock() override { unsetenv("SIMULATED_CUDA_KERNEL_US"); }

  [[nodiscard]] static backend::Timestamp stamp(backend::MemoryId memory, std::uint64_t index) {
    return {range_of(memory, 8 * index, 8)};
  }
  void add(List& list) {
    rig.launch(list, Entries::add, {buffer_argument(range_of(words, 0, 4)), scalar_argument(1u), scalar_argument(1u)});
  }
  Ticks read(backend::MemoryId memory, std::size_t count) {
    Ticks ticks(count);
    std::memcpy(ticks.data(), rig.read(memory, 8 * count).data(), 8 * count);
    return ticks;
  }

  Rig rig;
  const backend::MemoryId words = rig.allocate(4);
};

TEST_F(CudaClock, TimestampsLieBetweenCalibrations) {
  const auto times = rig.allocate(16);
  const auto before = must(rig.device->calibrate());
  List list;
  list.add(stamp(times, 0));
  add(list);
  list.add(stamp(times, 1));
  rig.run(list);
  const auto after = must(rig.device->calibrate());
  const Ticks ticks = read(times, 2);
  EXPECT_LE(before.device_ticks, ticks[0]);
  EXPECT_LE(ticks[0], ticks[1]);
  EXPECT_LE(ticks[1], after.device_ticks);
  EXPECT_LT(before.host - before.error, after.host + after.error);
}

// A stream that waited for the host between two of them would not measure the kernel.
TEST_F(CudaClock, ATimestampDoesNotHoldTheStream) {
  const auto library = must(base::Dylib::open_any(std::array{"libcuda.so.1"}));
  auto* const calls = must(library.function<std::uint64_t(const char*)>("simulated_calls"));
  const auto times = rig.allocate(16);
  List warm;
  add(warm);
  rig.run(warm);  // the program is loaded
  const std::uint64_t launches = calls("cuLaunchKernel"), writes = calls("cuMemcpyHtoDAsync");
  List list;
  list.add(stamp(times, 0));
  for (int count = 0; count < 3; ++count) add(list);
  list.add(stamp(times, 1));
  volatile std::uint32_t* const gate = rig.hold();
  const std::uint64_t serial = rig.submit(list);
  while (calls("cuLaunchKernel") < launches + 4) std::this_thread::yield();  // that of the gate, too
  EXPECT_EQ(calls("cuMemcpyHtoDAsync"), writes);
  rig.let_go(gate);
  rig.finish(serial);
  EXPECT_EQ(calls("cuMemcpyHtoDAsync"), writes + 2);
  const Ticks ticks = read(times, 2);
  EXPECT_LE(ticks[0], ticks[1]);
}

TEST_F(CudaClock, WhatTouchesATimeComesBehindIt) {
  const auto times = rig.allocate(64), copies = rig.allocate(64);
  rig.write(times, std::vector<std::byte>(64));
  List copied;
  copied.add(backend::Copy{range_of(copies, 16, 8), range_of(times, 16, 8)});
  const auto recording = must(rig.device->record(copied));
  std::uint64_t downloaded = 0;
  List list;
  list.add(stamp(times, 0)).add(stamp(times, 1)).add(stamp(times, 2));
  list.add(backend::Copy{range_of(copies, 0, 8), range_of(times, 0, 8)});
  list.add(backend::Download{{reinterpret_cast<std::byte*>(&downloaded), 8, backend::no_slot}, range_of(times, 8, 8)});
  list.add(backend::Replay{recording, {}});
  list.add(stamp(copies, 0));  // another one, in the place of the copy
  rig.run(list);
  const Ticks ticks = read(times, 3), read_copies = read(copies, 3);
  EXPECT_GT(ticks[0], 0u);
  EXPECT_EQ(downloaded, ticks[1]);
  EXPECT_EQ(read_copies[2], ticks[2]);
  EXPECT_GE(read_copies[0], ticks[2]);
  rig.device->forget(recording);
}

// Two minutes of a card. A float would have steps of 8 us by then.
TEST_F(CudaClock, CountsExactlyOverALongTime) {
  constexpr std::size_t count = 100;
  setenv("SIMULATED_CUDA_KERNEL_US", "1234567.25", 1);
  const auto times = rig.allocate(8 * (count + 1));
  List list;
  list.add(stamp(times, 0));
  for (std::size_t index = 1; index <= count; ++index) {
    add(list);
    list.add(stamp(times, index));
  }
  rig.run(list);
  const Ticks ticks = read(times, count + 1);
  for (std::size_t index = 1; index <= count; ++index)
    EXPECT_NEAR(static_cast<double>(ticks[index] - ticks[index - 1]), 1234567250.0, 1000) << index;
}

}  // namespace
}  // namespace pintle::test
