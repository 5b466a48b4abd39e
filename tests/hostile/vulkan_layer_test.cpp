// That the layer does what its README says: Vulkan by hand, in a process under the layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/dylib.h"
#include "hostile/vulkan_layer/questions.h"
#include "pintle/must.h"
#include "vendor/vulkan/instance.h"

namespace pintle::test {
namespace {

using hostile::Fault;
using testing::AnyOf;
using testing::Eq;
using vendor::vulkan::DeviceFunctions;
using vendor::vulkan::Instance;
using vendor::vulkan::InstanceFunctions;

constexpr std::uint64_t moment = 50'000'000;  // ns
constexpr std::uint64_t long_time = 20'000'000'000;

const Instance& instance() {
  static const Instance& made = *must(Instance::create()).release();
  return made;
}
const InstanceFunctions& vk() { return instance().functions(); }
VkPhysicalDevice physical() { return must(instance().physical_devices()).at(0); }

VkPhysicalDeviceMemoryProperties memory_of(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, nullptr, {}};
  vk().GetPhysicalDeviceMemoryProperties2(device, &all);
  return all.memoryProperties;
}

/// A device by hand with one queue. It is not destroyed: a dead one would keep its test for a minute.
class ByHand {
 public:
  ByHand() {
    constexpr float priority = 1;
    const VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                        nullptr, VK_TRUE};
    constexpr std::array extensions{"VK_EXT_external_memory_host"};
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &timelines;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queues;
    info.enabledExtensionCount = extensions.size();
    info.ppEnabledExtensionNames = extensions.data();
    memory_of(physical());  // whose types are named below
    EXPECT_EQ(vk().CreateDevice(physical(), &info, nullptr, &device), VK_SUCCESS);
    must(functions.load(vk().GetDeviceProcAddr, device));
    functions.GetDeviceQueue(device, 0, 0, &queue_);
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    EXPECT_EQ(functions.CreateSemaphore(device, &timeline, nullptr, &timeline_), VK_SUCCESS);
    const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
    EXPECT_EQ(functions.CreateCommandPool(device, &pool, nullptr, &pool_), VK_SUCCESS);
  }

  VkResult try_allocate(std::uint32_t type, void* host, VkDeviceMemory& memory, VkDeviceSize size = 1 << 16) {
    const VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, host};
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, host == nullptr ? nullptr : &import, size,
                                    type};
    return functions.AllocateMemory(device, &info, nullptr, &memory);
  }
  VkDeviceMemory allocate(std::uint32_t type) {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    EXPECT_EQ(try_allocate(type, nullptr, memory), VK_SUCCESS);
    return memory;
  }
  VkBuffer buffer_in(VkDeviceMemory memory) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 1 << 12;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    VkBuffer made = VK_NULL_HANDLE;
    EXPECT_EQ(functions.CreateBuffer(device, &info, nullptr, &made), VK_SUCCESS);
    EXPECT_EQ(functions.BindBufferMemory(device, made, memory, 0), VK_SUCCESS);
    return made;
  }
  /// A fill with the word, then a rise of the timeline by one.
  VkResult submit_fill(std::uint32_t word) {
    const VkBuffer target = buffer_in(allocate(1));
    const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                          VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands = nullptr;
    EXPECT_EQ(functions.AllocateCommandBuffers(device, &one, &commands), VK_SUCCESS);
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    EXPECT_EQ(functions.BeginCommandBuffer(commands, &begin), VK_SUCCESS);
    functions.CmdFillBuffer(commands, target, 0, 1 << 12, word);
    EXPECT_EQ(functions.EndCommandBuffer(commands), VK_SUCCESS);
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    ++submitted_;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &submitted_;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &timeline_;
    return functions.QueueSubmit(queue_, 1, &info, VK_NULL_HANDLE);
  }
  VkResult submit_fill(hostile::Fault fault) { return submit_fill(static_cast<std::uint32_t>(fault)); }
  /// For all that was submitted.
  VkResult wait(std::uint64_t nanoseconds) {
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &submitted_;
    return functions.WaitSemaphores(device, &info, nanoseconds);
  }

  VkDevice device = nullptr;
  DeviceFunctions functions;

 private:
  VkQueue queue_ = nullptr;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::uint64_t submitted_ = 0;
};

class HostileVulkan : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// A file's page, or one of nobody's.
void* page(int rights, bool is_file) {
  constexpr std::size_t size = 1 << 16;
  if (!is_file) return ::mmap(nullptr, size, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int file = ::memfd_create("page", 0);
  EXPECT_EQ(::ftruncate(file, size), 0);
  return ::mmap(nullptr, size, rights, MAP_SHARED, file, 0);
}

TEST_F(HostileVulkan, StandsBeforeTheNameOfTheDevice) {
  VkPhysicalDeviceProperties properties{};
  vk().GetPhysicalDeviceProperties(physical(), &properties);
  EXPECT_TRUE(std::string(properties.deviceName).starts_with("hostile ")) << properties.deviceName;
}

TEST_F(HostileVulkan, HasTheMemoryOfACard) {
  const auto memory = memory_of(physical());
  ASSERT_EQ(memory.memoryTypeCount, 5U);
  EXPECT_EQ(memory.memoryTypes[1].propertyFlags, VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
  EXPECT_NE(memory.memoryTypes[3].propertyFlags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0U);
  EXPECT_EQ(memory.memoryHeaps[memory.memoryTypes[4].heapIndex].size, 256U << 20);
  VkPhysicalDeviceProperties properties{};
  vk().GetPhysicalDeviceProperties(physical(), &properties);
  EXPECT_EQ(properties.limits.minStorageBufferOffsetAlignment, 256U);
}

TEST_F(HostileVulkan, TheWindowIsSmall) {
  ByHand hand;
  VkDeviceMemory first = VK_NULL_HANDLE, second = VK_NULL_HANDLE;
  ASSERT_EQ(hand.try_allocate(4, nullptr, first, 200 << 20), VK_SUCCESS);
  EXPECT_EQ(hand.try_allocate(4, nullptr, second, 200 << 20), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  hand.functions.FreeMemory(hand.device, first, nullptr);
  EXPECT_EQ(hand.try_allocate(4, nullptr, second, 200 << 20), VK_SUCCESS);
  hand.functions.FreeMemory(hand.device, second, nullptr);
}

TEST_F(HostileVulkan, EndsTheProcessWhereTheHostMapsWhatItDoesNotSee) {
  ByHand hand;
  const VkDeviceMemory memory = hand.allocate(1);
  void* data = nullptr;
  EXPECT_DEATH(static_cast<void>(hand.functions.MapMemory(hand.device, memory, 0, VK_WHOLE_SIZE, 0, &data)),
               "hostile: vkMapMemory maps memory that the host does not see");
}

TEST_F(HostileVulkan, RefusesFilesAndWhatIsOnlyRead) {
  ByHand hand;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  for (void* const refused : {page(PROT_READ, false), page(PROT_READ | PROT_WRITE, true), page(PROT_READ, true)}) {
    for (int i = 0; i < 8; ++i) {
      EXPECT_THAT(hand.try_allocate(3, refused, memory),
                  AnyOf(Eq(VK_ERROR_OUT_OF_DEVICE_MEMORY), Eq(VK_ERROR_INVALID_EXTERNAL_HANDLE)));
    }
  }
  EXPECT_EQ(hand.try_allocate(3, page(PROT_READ | PROT_WRITE, false), memory), VK_SUCCESS);
}

TEST_F(HostileVulkan, RefusesTheQuestionForMemoryTypesNowAndThen) {
  ByHand hand;
  void* const file = page(PROT_READ, true);
  int refused = 0;
  for (int i = 0; i < 64; ++i) {
    VkMemoryHostPointerPropertiesEXT properties{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT, nullptr, 0};
    const VkResult answer = hand.functions.GetMemoryHostPointerPropertiesEXT(
        hand.device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, file, &properties);
    refused += answer == VK_ERROR_INVALID_EXTERNAL_HANDLE ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 64);
}

TEST_F(HostileVulkan, StartsASubmissionLater) {
  const auto layer = must(base::Dylib::open(HOSTILE_VULKAN_LAYER));
  const auto hold = must(layer.function<decltype(hostile_hold_submissions)>("hostile_hold_submissions"));
  ByHand hand;
  hold(true);
  ASSERT_EQ(hand.submit_fill(1), VK_SUCCESS);
  EXPECT_EQ(hand.wait(moment), VK_TIMEOUT);
  hold(false);
  EXPECT_EQ(hand.wait(long_time), VK_SUCCESS);
}

TEST_F(HostileVulkan, ASilentDeviceEndsWhatWasSubmittedAndNothingMore) {
  ByHand hand, other;
  ASSERT_EQ(hand.submit_fill(Fault::silent), VK_SUCCESS);
  EXPECT_EQ(hand.wait(long_time), VK_SUCCESS);
  ASSERT_EQ(hand.submit_fill(1), VK_SUCCESS);
  EXPECT_EQ(hand.wait(moment), VK_TIMEOUT);
  ASSERT_EQ(other.submit_fill(1), VK_SUCCESS);
  EXPECT_EQ(other.wait(long_time), VK_SUCCESS);
}

TEST_F(HostileVulkan, AnEndlessSubmissionNeverEnds) {
  ByHand hand;
  ASSERT_EQ(hand.submit_fill(Fault::endless), VK_SUCCESS);
  EXPECT_EQ(hand.wait(moment), VK_TIMEOUT);
}

TEST_F(HostileVulkan, ALostDeviceSaysSo) {
  ByHand hand;
  ASSERT_EQ(hand.submit_fill(Fault::lost), VK_SUCCESS);
  EXPECT_EQ(hand.wait(long_time), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(hand.submit_fill(1), VK_ERROR_DEVICE_LOST);
}

TEST_F(HostileVulkan, APoisonedProcessHasNoDeviceThatAnswers) {
  const auto poison = [] {
    ByHand hand;
    if (hand.submit_fill(Fault::poisoned) != VK_SUCCESS || hand.wait(long_time) != VK_SUCCESS) std::_Exit(1);
    ByHand later;
    if (later.submit_fill(1) != VK_SUCCESS) std::_Exit(2);
    std::_Exit(later.wait(moment) == VK_TIMEOUT ? 0 : 3);
  };
  EXPECT_EXIT(poison(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pintle::test
