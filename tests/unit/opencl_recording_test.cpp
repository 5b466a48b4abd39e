#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "opencl_support.h"

namespace pintle::test {
namespace {

using Words = std::vector<std::uint32_t>;

class OpenClRecordingTest : public OpenClTest {};
class OpenClRecordingConcurrency : public OpenClTest {};

backend::Range in_slot(std::uint32_t slot, std::uint64_t size) { return {backend::MemoryId::none, 0, 0, size, slot}; }

/// x[i] += slot 1 for the 64 words in slot 0, twice, then a download to slot 2.
List patchable(OpenClRig& rig) {
  List list;
  for (int i = 0; i < 2; ++i) {
    auto value = scalar_argument(0u);
    value.slot = 1;
    rig.launch(list, OpenClEntry::add, {buffer_argument(in_slot(0, 256)), value, scalar_argument(64u)});
  }
  backend::HostTarget target;
  target.slot = 2;
  list.add(backend::Download{target, in_slot(0, 256)});
  return list;
}

std::vector<backend::Binding> bindings_of(backend::MemoryId memory, std::uint64_t offset, std::uint32_t value,
                                          Words& target) {
  return {range_of(memory, offset, 256), scalar_of(value),
          backend::HostTarget{reinterpret_cast<std::byte*>(target.data()), 256, backend::no_slot}};
}

TEST_F(OpenClRecordingTest, ReplaysWithOtherBindings) {
  on_each([](OpenClRig& rig) {
    const List list = patchable(rig);
    const auto recording = must(rig.device->record(list));
    const auto first = rig.buffer(Words(256, 10)), second = rig.buffer(Words(64, 20));
    Words target(64);
    const auto replay = [&](backend::MemoryId memory, std::uint64_t offset, std::uint32_t value) {
      const auto bindings = bindings_of(memory, offset, value, target);
      List once;
      once.add(backend::Replay{recording, bindings});
      rig.run(once);
      return target;
    };
    EXPECT_EQ(replay(first, 0, 1), Words(64, 12));
    EXPECT_EQ(replay(second, 0, 2), Words(64, 24));
    EXPECT_EQ(replay(second, 0, 2), Words(64, 28));
    EXPECT_EQ(replay(first, 512, 3), Words(64, 16));
    EXPECT_EQ(replay(first, 0, 0), Words(64, 12));
    rig.device->forget(recording);
  });
}

TEST_F(OpenClRecordingTest, StandsInOrderWithTheCommandsAround) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.buffer(Words(64, 0));
    List inner, outer;
    rig.add(inner, range_of(memory, 0, 256), 5);
    const auto recording = must(rig.device->record(inner));
    Words before(64), between(64), after(64);
    outer.add(OpenClRig::download(memory, before)).add(backend::Replay{recording, {}});
    outer.add(OpenClRig::download(memory, between)).add(backend::Replay{recording, {}});
    outer.add(OpenClRig::download(memory, after)).add(backend::Replay{recording, {}});
    rig.run(outer);
    EXPECT_EQ(before, Words(64, 0));
    EXPECT_EQ(between, Words(64, 5));
    EXPECT_EQ(after, Words(64, 10));
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 64), Words(64, 15));
    rig.device->forget(recording);
  });
}

TEST_F(OpenClRecordingTest, LaunchesWithOtherArgumentsAreNotMixedUp) {
  on_each([](OpenClRig& rig) {
    const std::array memories{rig.buffer(Words(64, 0)), rig.buffer(Words(64, 100))};
    List list;
    for (std::uint32_t i = 0; i < 60; ++i) rig.add(list, range_of(memories[i % 2], 0, 256), 1 + i / 40);
    const auto recording = must(rig.device->record(list));
    for (std::uint32_t round = 1; round <= 2; ++round) {
      List once;
      once.add(backend::Replay{recording, {}});
      rig.run(once);
      EXPECT_EQ(rig.read<std::uint32_t>(memories[0], 64), Words(64, 40 * round));
      EXPECT_EQ(rig.read<std::uint32_t>(memories[1], 64), Words(64, 100 + 40 * round));
    }
    rig.device->forget(recording);
  });
}

TEST_F(OpenClRecordingTest, AnEmptyOneReachesItsSerial) {
  on_each([](OpenClRig& rig) {
    const List nothing;
    const auto recording = must(rig.device->record(nothing));
    List once;
    once.add(backend::Replay{recording, {}});
    rig.run(once);
    rig.device->forget(recording);
  });
}

/// Core submits such lists again.
TEST_F(OpenClRecordingTest, ListsWithStepsAreUnsupported) {
  on_each([](OpenClRig& rig) {
    const auto memory = rig.allocate(64);
    std::function<void()> nothing = [] {};
    for (const backend::Operation& step :
         {backend::Operation(call_of(nothing)), backend::Operation(backend::Timestamp{range_of(memory, 0, 8)})}) {
      List list;
      list.add(step);
      const auto recorded = rig.device->record(list);
      ASSERT_FALSE(recorded);
      EXPECT_EQ(recorded.error().code(), Errc::unsupported);
    }
  });
}

TEST_F(OpenClRecordingTest, AListThatUploadsWhatItDownloadsIsUnsupported) {
  on_each([](OpenClRig& rig) {
    std::vector<std::uint32_t> words(16);
    const auto memory = rig.buffer(words);
    List list;
    list.add(OpenClRig::download(memory, words));
    list.add(OpenClRig::upload(memory, words));
    const auto recorded = rig.device->record(list);
    ASSERT_FALSE(recorded);
    EXPECT_EQ(recorded.error().code(), Errc::unsupported);
  });
}

TEST_F(OpenClRecordingTest, DoesNotTakeNewMemoryForOld) {
  on_each([](OpenClRig& rig) {
    const List list = patchable(rig);
    const auto recording = must(rig.device->record(list));
    Words target(64);
    for (std::uint32_t i = 0; i < 20; ++i) {
      const auto memory = rig.buffer(Words(64, i));
      const auto bindings = bindings_of(memory, 0, 1, target);
      List once;
      once.add(backend::Replay{recording, bindings});
      rig.run(once);
      EXPECT_EQ(target, Words(64, i + 2));
      rig.device->release(memory);
    }
    rig.device->forget(recording);
  });
}

TEST_F(OpenClRecordingConcurrency, TwoQueuesReplayOneRecording) {
  on_each([](OpenClRig& rig) {
    constexpr std::uint32_t rounds = 50;
    const List list = patchable(rig);
    const auto recording = must(rig.device->record(list));
    const std::array queues{rig.queue, must(rig.device->create_queue({QueueKind::compute, 0, {}}))};
    const std::array memories{rig.buffer(Words(64, 0)), rig.buffer(Words(64, 0))};
    std::array<std::thread, 2> threads;
    std::mutex submitting;  // core holds a lock around submit
    for (std::size_t i = 0; i < 2; ++i) {
      threads[i] = std::thread([&, i] {
        Words target(64);
        const auto bindings = bindings_of(memories[i], 0, static_cast<std::uint32_t>(i + 1), target);
        List once;
        once.add(backend::Replay{recording, bindings});
        for (std::uint32_t round = 1; round <= rounds; ++round) {
          std::unique_lock lock(submitting);
          const std::uint64_t serial = must(rig.device->submit(queues[i], {}, once));
          lock.unlock();
          must(rig.device->wait(queues[i], serial, soon()));
          EXPECT_EQ(target, Words(64, round * 2 * static_cast<std::uint32_t>(i + 1)));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    rig.device->forget(recording);
  });
}

}  // namespace
}  // namespace pintle::test
