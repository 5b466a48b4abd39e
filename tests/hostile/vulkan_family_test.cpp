// The layer's second family of queues, by hand: order between families, order by timelines, and what ends the process.
#include <array>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/dylib.h"
#include "hostile/vulkan_by_hand.h"

namespace pintle::test {
namespace {

constexpr std::uint64_t moment = 50'000'000;  // ns
constexpr std::uint32_t device_type = 1, host_type = 3;
constexpr std::uint32_t size = 1 << 12;

class HostileSecondFamily : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto find = [this](auto& function, const char* name) {
      function = must(layer_.function<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(name));
    };
    find(hold_, "hostile_hold_second_family");
    find(count_, "hostile_count_second_family");
  }

  VkBuffer shared(std::uint32_t type) { return hand_.buffer_in(hand_.allocate(type), VK_SHARING_MODE_CONCURRENT); }
  VkBuffer unshared() { return hand_.buffer_in(hand_.allocate(device_type)); }
  VkCommandBuffer fill(QueueByHand& queue, VkBuffer target, std::uint32_t word) {
    return queue.record(
        [&](VkCommandBuffer commands) { hand_.functions.CmdFillBuffer(commands, target, 0, size, word); });
  }
  VkCommandBuffer copy(QueueByHand& queue, VkBuffer from, VkBuffer to) {
    constexpr VkBufferCopy whole{0, 0, size};
    return queue.record(
        [&](VkCommandBuffer commands) { hand_.functions.CmdCopyBuffer(commands, from, to, 1, &whole); });
  }
  /// One half of what hands a buffer from the copies to the other family.
  VkCommandBuffer hand_over(QueueByHand& queue, VkBuffer buffer) {
    VkBufferMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    barrier.srcQueueFamilyIndex = 1;
    barrier.dstQueueFamilyIndex = 0;
    barrier.buffer = buffer;
    barrier.size = VK_WHOLE_SIZE;
    return queue.record([&](VkCommandBuffer commands) {
      hand_.functions.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                                         nullptr, 1, &barrier, 0, nullptr);
    });
  }
  void signal(VkSemaphore semaphore, std::uint64_t value) {
    const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, value};
    EXPECT_EQ(hand_.function<PFN_vkSignalSemaphore>("vkSignalSemaphore")(hand_.device, &info), VK_SUCCESS);
  }
  /// An image without memory, for commands that are not to run.
  VkImage image() {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8_UINT;
    info.extent = {40, 40, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkImage made = VK_NULL_HANDLE;
    EXPECT_EQ(hand_.functions.CreateImage(hand_.device, &info, nullptr, &made), VK_SUCCESS);
    return made;
  }
  void copy_to_image(VkDeviceSize from, std::int32_t x, std::uint32_t width) {
    const VkBuffer bytes = shared(host_type);
    const VkBufferImageCopy region{from, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {x, 0, 0}, {width, 40, 1}};
    copies_.record([&](VkCommandBuffer commands) {
      hand_.functions.CmdCopyBufferToImage(commands, bytes, image(), VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    });
  }

  const base::Dylib layer_ = must(base::Dylib::open(HOSTILE_VULKAN_LAYER));
  decltype(&hostile_hold_second_family) hold_ = nullptr;
  decltype(&hostile_count_second_family) count_ = nullptr;
  ByHand hand_{2};
  QueueByHand compute_{hand_.functions, hand_.device, 0}, copies_{hand_.functions, hand_.device, 1};
};

TEST_F(HostileSecondFamily, IsListedBehindTheDrivers) {
  std::uint32_t count = 0;
  vk().GetPhysicalDeviceQueueFamilyProperties(physical(), &count, nullptr);
  ASSERT_EQ(count, 2U);
  std::vector<VkQueueFamilyProperties> families(count + 1);
  count = 1;
  vk().GetPhysicalDeviceQueueFamilyProperties(physical(), &count, families.data());
  EXPECT_EQ(count, 1U);
  EXPECT_NE(families[0].queueFlags & VK_QUEUE_COMPUTE_BIT, 0U);
  count = 3;
  vk().GetPhysicalDeviceQueueFamilyProperties(physical(), &count, families.data());
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(families[1].queueFlags, VkQueueFlags{VK_QUEUE_TRANSFER_BIT});
  EXPECT_EQ(families[1].queueCount, 1U);
  EXPECT_EQ(families[1].minImageTransferGranularity.width, 16U);
  const auto loader = must(base::Dylib::open("libvulkan.so.1"));
  const auto list = must(loader.function<std::remove_pointer_t<PFN_vkGetPhysicalDeviceQueueFamilyProperties2>>(
      "vkGetPhysicalDeviceQueueFamilyProperties2"));
  std::vector<VkQueueFamilyProperties2> more(2, {VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, nullptr, {}});
  count = 2;
  list(physical(), &count, more.data());
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(more[1].queueFamilyProperties.queueFlags, VkQueueFlags{VK_QUEUE_TRANSFER_BIT});
}

TEST_F(HostileSecondFamily, IsPassedByTheOther) {
  hold_(true);
  ASSERT_EQ(copies_.submit(fill(copies_, shared(device_type), 1)), VK_SUCCESS);
  ASSERT_EQ(compute_.submit(fill(compute_, shared(device_type), 2)), VK_SUCCESS);
  EXPECT_EQ(compute_.wait(long_time), VK_SUCCESS);
  EXPECT_EQ(copies_.wait(moment), VK_TIMEOUT);
  EXPECT_EQ(copies_.reached(), 0U);
  hold_(false);
  EXPECT_EQ(copies_.wait(long_time), VK_SUCCESS);
}

TEST_F(HostileSecondFamily, PassesTheOther) {
  const VkSemaphore gate = create_timeline(hand_.functions, hand_.device);
  ASSERT_EQ(compute_.submit(fill(compute_, shared(device_type), 1), gate, 1), VK_SUCCESS);
  ASSERT_EQ(copies_.submit(fill(copies_, shared(device_type), 2)), VK_SUCCESS);
  EXPECT_EQ(copies_.wait(long_time), VK_SUCCESS);
  EXPECT_EQ(compute_.reached(), 0U);
  signal(gate, 1);
  EXPECT_EQ(compute_.wait(long_time), VK_SUCCESS);
}

// What waits is submitted first: in one queue of the driver's, nothing would get past it.
TEST_F(HostileSecondFamily, TimelinesOrderThem) {
  const VkDeviceMemory memory = hand_.allocate(host_type);
  const std::byte* const bytes = hand_.map(memory);
  const VkBuffer between = shared(device_type), result = hand_.buffer_in(memory, VK_SHARING_MODE_CONCURRENT);
  hold_(true);
  ASSERT_EQ(compute_.submit(copy(compute_, between, result), copies_.timeline(), 1), VK_SUCCESS);
  ASSERT_EQ(copies_.submit(fill(copies_, between, 0x05050505)), VK_SUCCESS);
  EXPECT_EQ(compute_.wait(moment), VK_TIMEOUT);
  EXPECT_EQ(compute_.reached(), 0U);
  hold_(false);
  ASSERT_EQ(compute_.wait(long_time), VK_SUCCESS);
  EXPECT_EQ(copies_.reached(), 1U);
  EXPECT_EQ(bytes[0], std::byte{5});
  EXPECT_EQ(bytes[size - 1], std::byte{5});
}

TEST_F(HostileSecondFamily, ACounterRisesWhenTheWorkIsDone) {
  for (QueueByHand* const queue : {&copies_, &compute_}) {
    const VkDeviceMemory memory = hand_.allocate(host_type);
    const std::byte* const bytes = hand_.map(memory);
    const VkBuffer target = hand_.buffer_in(memory, VK_SHARING_MODE_CONCURRENT);
    for (std::uint32_t i = 1; i <= 100; ++i) {
      ASSERT_EQ(queue->submit(fill(*queue, target, i)), VK_SUCCESS);
      while (queue->reached() < i) std::this_thread::yield();
      std::uint32_t last = 0;
      std::memcpy(&last, bytes + size - sizeof last, sizeof last);
      ASSERT_EQ(last, i);
    }
  }
}

TEST_F(HostileSecondFamily, WhoWaitsForAQueueWaitsForNoOther) {
  hold_(true);
  ASSERT_EQ(copies_.submit(fill(copies_, shared(device_type), 1)), VK_SUCCESS);
  ASSERT_EQ(compute_.submit(fill(compute_, shared(device_type), 2)), VK_SUCCESS);
  ASSERT_EQ(hand_.functions.QueueWaitIdle(compute_.queue()), VK_SUCCESS);
  EXPECT_EQ(compute_.reached(), 1U);
  EXPECT_EQ(copies_.reached(), 0U);
  hold_(false);
  ASSERT_EQ(hand_.functions.QueueWaitIdle(copies_.queue()), VK_SUCCESS);
  EXPECT_EQ(copies_.reached(), 1U);
}

TEST_F(HostileSecondFamily, WhoWaitsForTheDeviceWaitsForBoth) {
  for (std::uint32_t i = 0; i < 10; ++i) {
    ASSERT_EQ(copies_.submit(fill(copies_, shared(device_type), i)), VK_SUCCESS);
    ASSERT_EQ(compute_.submit(fill(compute_, shared(device_type), i)), VK_SUCCESS);
  }
  ASSERT_EQ(hand_.function<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(hand_.device), VK_SUCCESS);
  EXPECT_EQ(copies_.reached(), 10U);
  EXPECT_EQ(compute_.reached(), 10U);
}

TEST_F(HostileSecondFamily, AFenceStandsForWhatWasSubmittedBefore) {
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(hand_.function<PFN_vkCreateFence>("vkCreateFence")(hand_.device, &info, nullptr, &fence), VK_SUCCESS);
  const auto wait = hand_.function<PFN_vkWaitForFences>("vkWaitForFences");
  hold_(true);
  ASSERT_EQ(copies_.submit(fill(copies_, shared(device_type), 1)), VK_SUCCESS);
  ASSERT_EQ(hand_.functions.QueueSubmit(copies_.queue(), 0, nullptr, fence), VK_SUCCESS);
  EXPECT_EQ(wait(hand_.device, 1, &fence, VK_TRUE, moment), VK_TIMEOUT);
  hold_(false);
  ASSERT_EQ(wait(hand_.device, 1, &fence, VK_TRUE, long_time), VK_SUCCESS);
  EXPECT_EQ(copies_.reached(), 1U);
}

TEST_F(HostileSecondFamily, CarriesSubmissionsInTheirNewForm) {
  const VkSemaphore done = create_timeline(hand_.functions, hand_.device);
  VkSemaphoreSubmitInfo after{}, before{};
  after.sType = before.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  after.stageMask = before.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  after.value = before.value = 1;
  after.semaphore = compute_.timeline();
  before.semaphore = done;
  VkCommandBufferSubmitInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  commands.commandBuffer = fill(copies_, shared(device_type), 1);
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = info.commandBufferInfoCount = info.signalSemaphoreInfoCount = 1;
  info.pWaitSemaphoreInfos = &after;
  info.pCommandBufferInfos = &commands;
  info.pSignalSemaphoreInfos = &before;
  const auto submit = hand_.function<PFN_vkQueueSubmit2>("vkQueueSubmit2");
  ASSERT_EQ(submit(copies_.queue(), 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  std::uint64_t value = 1;
  ASSERT_EQ(hand_.functions.GetSemaphoreCounterValue(hand_.device, done, &value), VK_SUCCESS);
  EXPECT_EQ(value, 0U);
  ASSERT_EQ(compute_.submit(fill(compute_, shared(device_type), 2)), VK_SUCCESS);
  ASSERT_EQ(hand_.functions.QueueWaitIdle(copies_.queue()), VK_SUCCESS);
  ASSERT_EQ(hand_.functions.GetSemaphoreCounterValue(hand_.device, done, &value), VK_SUCCESS);
  EXPECT_EQ(value, 1U);
}

TEST_F(HostileSecondFamily, CountsItsCopies) {
  const VkBuffer from = shared(device_type), to = shared(device_type);
  const std::uint64_t before = count_();
  copy(copies_, from, to);
  copy(compute_, from, to);
  EXPECT_EQ(count_(), before + 1);
}

TEST_F(HostileSecondFamily, TakesABufferThatIsHandedOver) {
  const VkBuffer buffer = unshared(), result = unshared();
  ASSERT_EQ(copies_.submit(fill(copies_, buffer, 1)), VK_SUCCESS);
  ASSERT_EQ(copies_.submit(hand_over(copies_, buffer)), VK_SUCCESS);
  ASSERT_EQ(compute_.submit(hand_over(compute_, buffer), copies_.timeline(), 2), VK_SUCCESS);
  ASSERT_EQ(compute_.submit(copy(compute_, buffer, result)), VK_SUCCESS);
  EXPECT_EQ(compute_.wait(long_time), VK_SUCCESS);
}

TEST_F(HostileSecondFamily, EndsTheProcessWhereABufferIsNotHandedOver) {
  const VkBuffer buffer = unshared(), result = unshared();
  fill(copies_, buffer, 1);
  EXPECT_DEATH(copy(compute_, buffer, result),
               "hostile: vkCmdCopyBuffer reads what another family has written, and the two do not share it");
}

TEST_F(HostileSecondFamily, EndsTheProcessAtCommandsThatAreNoCopies) {
  const auto record = [this](auto command) { copies_.record(command); };
  EXPECT_DEATH(record([this](VkCommandBuffer commands) { hand_.functions.CmdDispatch(commands, 1, 1, 1); }),
               "hostile: vkCmdDispatch is recorded for a family that only copies");
  EXPECT_DEATH(
      record([this](VkCommandBuffer commands) { hand_.functions.CmdResetQueryPool(commands, VK_NULL_HANDLE, 0, 1); }),
      "hostile: vkCmdResetQueryPool is recorded for a family that only copies");
  EXPECT_DEATH(record([this](VkCommandBuffer commands) {
                 hand_.functions.CmdCopyQueryPoolResults(commands, VK_NULL_HANDLE, 0, 1, VK_NULL_HANDLE, 0, 8, 0);
               }),
               "hostile: vkCmdCopyQueryPoolResults is recorded for a family that only copies");
}

TEST_F(HostileSecondFamily, EndsTheProcessAtStagesThatItLacks) {
  const auto wait_for_kernels = [this] {
    copies_.record([this](VkCommandBuffer commands) {
      hand_.functions.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                         0, 0, nullptr, 0, nullptr, 0, nullptr);
    });
  };
  EXPECT_DEATH(wait_for_kernels(), "hostile: vkCmdPipelineBarrier names a stage that a family that only copies lacks");
}

TEST_F(HostileSecondFamily, EndsTheProcessAtCommandsOfTheOther) {
  const VkCommandBuffer commands = fill(copies_, shared(device_type), 1);
  EXPECT_DEATH(static_cast<void>(compute_.submit(commands)), "hostile: a queue gets commands of another family");
}

TEST_F(HostileSecondFamily, EndsTheProcessAtPartsOfImagesThatItDoesNotCopy) {
  EXPECT_DEATH(copy_to_image(2, 0, 16), "hostile: vkCmdCopyBufferToImage begins at no multiple of four bytes");
  EXPECT_DEATH(copy_to_image(0, 8, 16),
               "hostile: vkCmdCopyBufferToImage copies a part that is no multiple of "
               "minImageTransferGranularity");
  EXPECT_DEATH(copy_to_image(0, 0, 20),
               "hostile: vkCmdCopyBufferToImage copies a part that is no multiple of "
               "minImageTransferGranularity");
}

}  // namespace
}  // namespace pintle::test
