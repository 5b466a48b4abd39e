// That the layer does what its README says: Vulkan by hand, in a process under the layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/dylib.h"
#include "hostile/vulkan_by_hand.h"

namespace pintle::test {
namespace {

using hostile::Fault;
using testing::AnyOf;
using testing::Eq;

constexpr std::uint64_t moment = 50'000'000;  // ns

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

TEST_F(HostileVulkan, EndsAForkedChildAtItsFirstCall) {
  const VkPhysicalDevice device = physical();
  VkPhysicalDeviceProperties properties{};
  vk().GetPhysicalDeviceProperties(device, &properties);
  const pid_t child = ::fork();
  if (child == 0) {
    vk().GetPhysicalDeviceProperties(device, &properties);
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
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
