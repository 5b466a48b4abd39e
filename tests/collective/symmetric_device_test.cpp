#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collective/group_queue_support.h"
#include "pintle/pintle.h"
#include "pintle/symmetric.h"
#include "symmetric_support.h"

namespace pintle::collective {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

/// The cpu, as a device that cannot use host memory in place.
constexpr const char* without_import = "faulty(cpu)?call=import_memory&code=unsupported&times=0";

/// Devices that really move bytes.
[[nodiscard]] std::vector<std::string> found_devices() {
  std::vector<std::string> ids{"cpu?inline", without_import};
  const auto list = devices();
  if (!list) return ids;
  for (const DeviceInfo& info : list->devices) {
    if (info.capability(Feature::execution).support != Support::absent) ids.push_back(info.id);
  }
  return ids;
}

class SymmetricDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const auto absence = test::absence_of(GetParam()); !absence.empty()) GTEST_SKIP() << absence;
    device_ = must(open(GetParam()));
  }
  /// Runs `work(heap, queue)` on two ranks of the device.
  template <class Work>
  void with_device(const Work& work) {
    on_threads(2, [&](Group& group) {
      SymmetricHeap heap = must(SymmetricHeap::create(group, 100'000, {.device = device_}));
      Queue queue = must(device_.create_queue());
      work(heap, queue);
      must(heap.barrier());
    });
  }

  Device device_;
};

TEST_P(SymmetricDevice, SaysWhereItsBytesAre) {
  with_device([&](SymmetricHeap& heap, Queue&) {
    const bool is_importing = device_.info().capability(Feature::host_import).support == Support::native &&
                              std::string_view(GetParam()) != without_import;
    EXPECT_EQ(heap.residence(), is_importing ? Residence::in_place : Residence::staged);
    EXPECT_EQ(heap.residence_detail().empty(), is_importing);
    RecordProperty("residence", std::string(name(heap.residence())));
    for (int i = 0; i < 3; ++i) {
      const SymmetricBuffer buffer = must(heap.allocate(DType::f32, {3, 7}));
      const BufferView view = must(heap.on_device(buffer));
      EXPECT_EQ(view.dtype(), DType::f32);
      EXPECT_EQ(view.shape(), (Shape{3, 7}));
      EXPECT_EQ(view.offset_bytes() % device_.info().limits.offset_alignment, 0u);
      EXPECT_EQ(view.offset_bytes(), buffer.offset_bytes());
    }
  });
}

TEST_P(SymmetricDevice, ReadsWhatOthersHavePut) {
  with_device([&](SymmetricHeap& heap, Queue& queue) {
    const SymmetricBuffer first = must(heap.allocate(DType::f32, {100}));
    const SymmetricBuffer buffer = must(heap.allocate(DType::f32, {1000}));
    const Buffer scratch = must(device_.allocate(DType::f32, {1000}));
    for (float round = 1; round < 4; ++round) {
      const float value = round * 10 + static_cast<float>(heap.rank());
      must(heap.put(buffer.on(1 - heap.rank()), std::vector<float>(1000, value)));
      must(heap.barrier());
      const Point there = must(heap.to_device(buffer, queue));
      must(queue.submit(CommandList{}.copy(scratch, must(heap.on_device(buffer))), {.after = {there}}));
      EXPECT_THAT(must(read<float>(queue, scratch)), Each(round * 10 + 1 - static_cast<float>(heap.rank())));
      must(heap.barrier());
    }
    must(heap.free(first));
    must(heap.free(buffer));
    EXPECT_THAT(outcome(heap.on_device(buffer)), StartsWith("stale: "));
    EXPECT_THAT(outcome(heap.to_device(buffer, queue)), StartsWith("stale: "));
  });
}

TEST_P(SymmetricDevice, WritesWhatOthersGet) {
  with_device([&](SymmetricHeap& heap, Queue& queue) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4096}));
    const SymmetricBuffer middle = must(buffer.slice(1000, 1000));
    std::ranges::fill(must(heap.local<std::uint32_t>(buffer)), 1u);
    must(must(heap.to_device(buffer, queue)).wait());
    must(queue.submit(CommandList{}.fill(must(heap.on_device(middle)), heap.rank() + 5)));
    must(must(heap.from_device(middle, queue)).wait());
    must(heap.barrier());
    std::vector<std::uint32_t> values(4096);
    must(heap.get(values, buffer.on(1 - heap.rank())));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], i >= 1000 && i < 2000 ? 1 - heap.rank() + 5 : 1) << i;
    }
    must(heap.barrier());
  });
}

// What is put when the device has written it, and read by the other device when the signal has come: nobody waits on
// the host but for that signal.
TEST_P(SymmetricDevice, TransfersFollowPointsOfItsQueue) {
  with_device([&](SymmetricHeap& heap, Queue& queue) {
    const SymmetricBuffer source = must(heap.allocate(DType::u32, {512}));
    const SymmetricBuffer target = must(heap.allocate(DType::u32, {512}));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    for (std::uint32_t round = 1; round <= 10; ++round) {
      must(queue.submit(CommandList{}.fill(must(heap.on_device(source)), round * 2 + heap.rank())));
      const Point written = must(heap.from_device(source, queue));
      std::vector<std::uint32_t> between(512);
      const Point read_back = must(heap.get(between, source.on(heap.rank()), {.after = {written}}));
      const Point sent = must(heap.put_signal(target.on(1 - heap.rank()), between, signals.at(0), round, {}));
      must(heap.wait_signal(signals.at(0), round));
      must(must(heap.to_device(target, queue)).wait());
      EXPECT_THAT(must(read<std::uint32_t>(queue, must(heap.on_device(target)))), Each(round * 2 + 1 - heap.rank()));
      must(sent.wait());
      must(heap.barrier());
    }
  });
}

TEST_P(SymmetricDevice, KeepsItsMemoryWhileWorkOnItRuns) {
  with_device([&](SymmetricHeap& heap, Queue& queue) {
    must(heap.barrier());
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {1024}));
    const Buffer scratch = must(device_.allocate(DType::u32, {1024}));
    std::ranges::fill(must(heap.local<std::uint32_t>(buffer)), 3u);
    must(heap.barrier());
    must(heap.to_device(buffer, queue));
    must(queue.submit(CommandList{}.copy(scratch, must(heap.on_device(buffer)))));
    must(heap.barrier());
    SymmetricHeap gone = std::move(heap);
    gone = SymmetricHeap();
    EXPECT_THAT(must(read<std::uint32_t>(queue, scratch)), Each(3u));
    std::vector<Group> alone = must(Group::threads(1));
    heap = must(SymmetricHeap::create(alone.front(), 64));  // for the last barrier
  });
}

INSTANTIATE_TEST_SUITE_P(Devices, SymmetricDevice,
                         testing::Values("cpu", "cpu?inline", "vulkan:swiftshader", "vulkan:llvmpipe", "opencl:pocl",
                                         "opencl:rusticl", without_import),
                         [](const auto& parameter) {
                           std::string text = parameter.param == without_import ? "staged" : parameter.param;
                           std::erase_if(text, [](char c) { return c == ':' || c == '?'; });
                           return text;
                         });

// The device's copy is as old as the last to_device: what comes later is not there by itself.
TEST(SymmetricDevices, AStagedCopyIsAsOldAsItsLastCopy) {
  on_threads(1, [](Group& group) {
    const Device device = must(open(without_import));
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096, {.device = device}));
    ASSERT_EQ(heap.residence(), Residence::staged);
    Queue queue = must(device.create_queue());
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {16}));
    const BufferView view = must(heap.on_device(buffer));
    must(heap.put(buffer.on(0), std::vector<std::uint32_t>(16, 1)));
    must(heap.to_device(buffer, queue));
    EXPECT_THAT(must(read<std::uint32_t>(queue, view)), Each(1u));
    must(heap.put(buffer.on(0), std::vector<std::uint32_t>(16, 2)));
    EXPECT_THAT(must(read<std::uint32_t>(queue, view)), Each(1u));
    must(heap.to_device(buffer, queue));
    EXPECT_THAT(must(read<std::uint32_t>(queue, view)), Each(2u));
  });
}

// A group of as many ranks as there are devices: each gives to the next what its own device has written.
TEST(SymmetricDevices, OfDifferentKindsReachEachOther) {
  const std::vector<std::string> ids = found_devices();
  const auto count = static_cast<std::uint32_t>(ids.size());
  ASSERT_GE(count, 2u) << "cpu and cpu?inline are always there";
  on_threads(count, [&](Group& group) {
    const Device device = must(open(ids[group.rank()]));
    SymmetricHeap heap = must(SymmetricHeap::create(group, 1 << 20, {.device = device}));
    Queue queue = must(device.create_queue());
    const SymmetricBuffer mine = must(heap.allocate(DType::i32, {5000}));
    const SymmetricBuffer theirs = must(heap.allocate(DType::i32, {5000}));
    EXPECT_EQ(theirs.offset_bytes() % device.info().limits.offset_alignment, 0u);
    must(queue.submit(CommandList{}.fill(must(heap.on_device(mine)), static_cast<std::int32_t>(heap.rank()))));
    must(must(heap.from_device(mine, queue)).wait());
    const auto own = must(heap.local<std::int32_t>(mine));
    must(heap.put(theirs.on((heap.rank() + 1) % count), own));
    must(heap.barrier());
    must(heap.to_device(theirs, queue));
    EXPECT_THAT(must(read<std::int32_t>(queue, must(heap.on_device(theirs)))),
                Each(static_cast<std::int32_t>((heap.rank() + count - 1) % count)));
    must(heap.barrier());
  });
}

TEST(SymmetricDevices, ADeviceOnOneRankOnlyIsThatRanksBusiness) {
  on_threads(2, [](Group& group) {
    SymmetricOptions options;
    if (group.rank() == 1) options.device = must(open("cpu"));
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096, options));
    const SymmetricBuffer buffer = must(heap.allocate(DType::u8, {8}));
    EXPECT_EQ(heap.residence(), group.rank() == 1 ? Residence::in_place : Residence::host);
    if (group.rank() == 0) {
      EXPECT_EQ(outcome(heap.on_device(buffer)), "invalid_argument: " + heap.text() + " was made without a device.");
    } else {
      EXPECT_TRUE(heap.on_device(buffer));
    }
    must(heap.barrier());
  });
}

// An error of one rank's device is the same error everywhere, and there is no heap.
TEST(SymmetricDevices, ARankWhoseDeviceHasNoMemoryIsNamedEverywhere) {
  Errors errors(3);
  on_threads(3, [&](Group& group) {
    SymmetricOptions options;
    if (group.rank() == 1) options.device = Device();
    errors[group.rank()] = outcome(SymmetricHeap::create(group, 4096, options));
    EXPECT_TRUE(SymmetricHeap::create(group, 4096));
  });
  EXPECT_THAT(same(errors), HasSubstr(": On rank 1: "));
}

}  // namespace
}  // namespace pintle::collective
