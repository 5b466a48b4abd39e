// Recordings of Vulkan devices: which lists are translated once, and that replays do what the list does.
#include <gtest/gtest.h>

#include "vulkan_support.h"

namespace pintle::test {
namespace {

using backend::QueuePoint;
using backend::RecordingId;
using Words = std::vector<std::uint32_t>;

class VulkanRecordingTest : public VulkanTest {};

backend::Fill fill_of(backend::MemoryId memory, std::uint64_t offset, std::uint64_t size, std::uint64_t pattern,
                      std::uint32_t pattern_size) {
  backend::Fill fill;
  fill.to = range_of(memory, offset, size);
  fill.pattern = scalar_of(pattern);
  fill.pattern_size = pattern_size;
  return fill;
}

TEST_F(VulkanRecordingTest, ReplaysRunInOrder) {
  each([](VulkanRig& rig) {
    const auto from = rig.buffer(Words(64, 1)), to = rig.allocate(256);
    List list;
    list.add(backend::Copy{range_of(to, 0, 256), range_of(from, 0, 256)});
    list.add(fill_of(from, 4, 8, 0x0000000900000008, 8)).barrier();  // staged bytes, which must stay
    const RecordingId recording = must(rig.device->record(list));
    const List replay({backend::Replay{recording, {}}});
    rig.run(replay);
    EXPECT_EQ(rig.read<std::uint32_t>(to, 0, 4), (Words{1, 1, 1, 1}));
    for (int i = 0; i < 100; ++i) rig.submit(replay);
    rig.run(replay);
    EXPECT_EQ(rig.read<std::uint32_t>(to, 0, 4), (Words{1, 8, 9, 1}));
    rig.device->forget(recording);
  });
}

TEST_F(VulkanRecordingTest, ReplaysStandAmongOtherCommandsAndQueues) {
  each([](VulkanRig& rig) {
    const auto memory = rig.buffer(Words(16, 0));
    const List four({fill_of(memory, 0, 32, 4, 4)});
    const RecordingId recording = must(rig.device->record(four));
    Words before(16), after(16);
    List list;
    list.add(fill_of(memory, 0, 64, 3, 4)).add(VulkanRig::download(before, memory, 0)).barrier();
    list.add(backend::Replay{recording, {}}).barrier();
    list.add(VulkanRig::download(after, memory, 0)).barrier();
    rig.run(list);
    EXPECT_EQ(before, Words(16, 3));
    EXPECT_EQ(after[7], 4u);
    EXPECT_EQ(after[8], 3u);
    const auto other = must(rig.device->create_queue({QueueKind::copy, 7, {}}));
    const List cleared({fill_of(memory, 0, 64, 0, 4)}), replay({backend::Replay{recording, {}}});
    const std::vector<QueuePoint> waits{{rig.queue, rig.submit(cleared)}};
    must(rig.device->wait(other, must(rig.device->submit(other, waits, replay)), soon()));
    rig.device->destroy_queue(other);
    EXPECT_EQ(rig.read<std::uint32_t>(memory, 28, 2), (Words{4, 0}));
    rig.device->forget(recording);
  });
}

TEST_F(VulkanRecordingTest, OtherListsAreSubmittedAgain) {
  each([](VulkanRig& rig) {
    const auto memory = rig.buffer(Words(16, 0));
    Words host(16);
    std::function<void()> call = [] {};
    backend::Fill slotted = fill_of(memory, 0, 0, 1, 4);
    slotted.to.slot = 0;
    std::vector<backend::Operation> operations{VulkanRig::upload(memory, 0, host), VulkanRig::download(host, memory, 0),
                                               call_of(call), backend::Timestamp{range_of(memory, 0, 8)}, slotted};
    for (const backend::Operation& operation : operations) {
      const auto refused = rig.device->record(List({operation}));
      ASSERT_FALSE(refused) << backend::name(operation);
      EXPECT_EQ(refused.error().code(), Errc::unsupported);
    }
    rig.device->forget(must(rig.device->record(List())));
  });
}

}  // namespace
}  // namespace pintle::test
