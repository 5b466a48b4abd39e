// What a broken driver may answer: counts that grow, words without an end, memory of heaps that are not there,
// properties that no header has.
#include "vendor/vulkan/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "backends/vulkan/memory_types.h"
#include "backends/vulkan/physical.h"
#include "empty_vulkan.h"
#include "pintle/must.h"
#include "vendor/vulkan/instance.h"

namespace pintle::vulkan {
namespace {

using test::empty_vulkan::any;
using test::empty_vulkan::some;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using vendor::vulkan::Instance;
using vendor::vulkan::list;

TEST(VulkanAnswers, ACountThatRisesIsNotBelieved) {
  const auto ask = [](std::uint32_t* count, int* items) {
    if (items != nullptr) std::fill_n(items, *count, 7);
    *count = items == nullptr ? 3 : 1'000'000;
  };
  std::vector<int> items;
  EXPECT_EQ(list(items, ask), VK_SUCCESS);
  EXPECT_THAT(items, ElementsAre(7, 7, 7));
}

TEST(VulkanAnswers, ACountThatFallsIs) {
  std::vector<int> items;
  EXPECT_EQ(list(items, [](std::uint32_t* count, int* to) { *count = to == nullptr ? 3 : 0; }), VK_SUCCESS);
  EXPECT_THAT(items, IsEmpty());
}

TEST(VulkanAnswers, NobodyListsMoreThanThereIsRoomFor) {
  std::vector<int> items;
  const auto ask = [](std::uint32_t* count, int* to) -> VkResult {
    if (to != nullptr) return VK_INCOMPLETE;
    *count = ~0U;
    return VK_SUCCESS;
  };
  EXPECT_EQ(list(items, ask), VK_SUCCESS);
  EXPECT_THAT(items, SizeIs(65'536));
}

TEST(VulkanAnswers, ARefusalListsNothing) {
  for (const bool at_once : {true, false}) {
    std::vector<int> items;
    const auto ask = [&](std::uint32_t* count, int* to) -> VkResult {
      *count = 5;
      return to != nullptr || at_once ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
    };
    EXPECT_EQ(list(items, ask), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_THAT(items, IsEmpty());
  }
}

TEST(VulkanAnswers, AnArrayWithoutAnEndIsWords) {
  const char ended[8] = "abc", endless[4] = {'a', 'b', 'c', 'd'};
  EXPECT_EQ(vendor::vulkan::text_of(ended), "abc");
  EXPECT_EQ(vendor::vulkan::text_of(endless), "abcd");
}

TEST(VulkanAnswers, MemoryHasAPlaceInItsArrays) {
  VkPhysicalDeviceMemoryProperties told{};
  told.memoryTypeCount = told.memoryHeapCount = 1'000;
  const auto most = vendor::vulkan::believed(told);
  EXPECT_EQ(most.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  EXPECT_EQ(most.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  told.memoryHeapCount = 1;
  told.memoryTypeCount = 3;
  told.memoryTypes[0].heapIndex = 4'000;
  const auto some_types = vendor::vulkan::believed(told);
  EXPECT_EQ(some_types.memoryTypes[0].heapIndex, 0U);
  EXPECT_THAT(types_for(some_types, Placement::device, ~0U), ElementsAre(1U, 2U));
  told.memoryHeapCount = 0;
  EXPECT_EQ(vendor::vulkan::believed(told).memoryTypeCount, 0U);
}

TEST(VulkanAnswers, MemoryOfAnUnheardOfKindIsTheLastChoice) {
  constexpr VkMemoryPropertyFlags unheard_of = 1U << 30, local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  VkPhysicalDeviceMemoryProperties memory{};
  memory.memoryHeapCount = 1;
  memory.memoryTypeCount = 3;
  memory.memoryTypes[0].propertyFlags = local | unheard_of;
  memory.memoryTypes[2].propertyFlags = local;
  EXPECT_THAT(types_for(memory, Placement::device, ~0U), ElementsAre(2U, 1U, 0U));
}

/// Replaces functions of the empty driver.
class VulkanNonsense : public testing::Test {
 protected:
  void TearDown() override { test::empty_vulkan::replaced().clear(); }
  template <class Function>
  static void replace(std::string_view name, Function* function) {
    test::empty_vulkan::replaced()[name] = any(function);
  }
  static std::unique_ptr<Instance> instance() {
    return must(Instance::wrap(some<VkInstance>(), &test::empty_vulkan::find_of_instance));
  }
  static Physical physical() { return Physical::of(instance()->functions(), some<VkPhysicalDevice>()); }
};

/// Broken calls.
struct Broken {
  static VKAPI_ATTR VkResult VKAPI_CALL devices(VkInstance, std::uint32_t* count, VkPhysicalDevice* devices) {
    if (devices != nullptr) std::fill_n(devices, *count, some<VkPhysicalDevice>());
    *count = devices == nullptr ? 2 : 50;
    return VK_INCOMPLETE;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL no_devices(VkInstance, std::uint32_t* count, VkPhysicalDevice* devices) {
    *count = devices == nullptr ? 1 : 0;
    return VK_SUCCESS;
  }
  static VKAPI_ATTR void VKAPI_CALL families(VkPhysicalDevice, std::uint32_t* count, VkQueueFamilyProperties* all) {
    if (all != nullptr) std::fill_n(all, *count, VkQueueFamilyProperties{~0U, 1, 64, {1, 1, 1}});
    *count = all == nullptr ? 1 : 1'000'000;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL extensions(VkPhysicalDevice, const char*, std::uint32_t* count,
                                                   VkExtensionProperties* all) {
    if (all != nullptr) std::memset(all[0].extensionName, 'x', sizeof all[0].extensionName);
    *count = all == nullptr ? 1 : 1'000'000;
    return VK_SUCCESS;
  }
  static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice, VkPhysicalDeviceProperties* properties) {
    *properties = test::empty_vulkan::properties_of_device();
    std::memset(properties->deviceName, 'n', sizeof properties->deviceName);
    std::memset(properties->pipelineCacheUUID, 'u', sizeof properties->pipelineCacheUUID);
    properties->deviceType = static_cast<VkPhysicalDeviceType>(4'711);
    properties->limits.timestampPeriod = std::nanf("");
  }
  static VKAPI_ATTR void VKAPI_CALL properties_2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* all) {
    test::empty_vulkan::InstanceCalls::properties_2(device, all);
    auto* const more = test::find_in<VkPhysicalDeviceVulkan12Properties>(
        all->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
    more->driverID = static_cast<VkDriverId>(4'711);
    std::memset(more->driverName, 'd', sizeof more->driverName);
    std::memset(more->driverInfo, 'i', sizeof more->driverInfo);
  }
  static VKAPI_ATTR void VKAPI_CALL no_memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2* all) {
    all->memoryProperties = {};
  }
};

TEST_F(VulkanNonsense, TheEmptyDriverHasADevice) {
  EXPECT_THAT(must(instance()->physical_devices()), ElementsAre(some<VkPhysicalDevice>()));
  EXPECT_EQ(physical().refusal(), "");
}

TEST_F(VulkanNonsense, DevicesAreThoseThatThereWasRoomFor) {
  replace("vkEnumeratePhysicalDevices", &Broken::devices);
  EXPECT_THAT(must(instance()->physical_devices()), ElementsAre(some<VkPhysicalDevice>(), some<VkPhysicalDevice>()));
  replace("vkEnumeratePhysicalDevices", &Broken::no_devices);
  EXPECT_THAT(must(instance()->physical_devices()), IsEmpty());
}

TEST_F(VulkanNonsense, FamiliesAndExtensionsAreThoseThatThereWasRoomFor) {
  replace("vkGetPhysicalDeviceQueueFamilyProperties", &Broken::families);
  replace("vkEnumerateDeviceExtensionProperties", &Broken::extensions);
  const Physical found = physical();
  ASSERT_THAT(found.families, SizeIs(1));
  EXPECT_EQ(found.families.front().flags, ~0U);
  EXPECT_THAT(found.extensions, IsEmpty());
  EXPECT_EQ(found.refusal(), "");
}

TEST_F(VulkanNonsense, NamesEndWithTheirArrays) {
  replace("vkGetPhysicalDeviceProperties", &Broken::properties);
  replace("vkGetPhysicalDeviceProperties2", &Broken::properties_2);
  const DeviceInfo info = describe(physical(), 0, false);
  EXPECT_EQ(info.name, std::string(VK_MAX_PHYSICAL_DEVICE_NAME_SIZE, 'n'));
  EXPECT_THAT(info.driver, HasSubstr(std::string(VK_MAX_DRIVER_NAME_SIZE, 'd') + ' ' +
                                     std::string(VK_MAX_DRIVER_INFO_SIZE, 'i') + ", Vulkan 1.3.0"));
  EXPECT_EQ(info.kind, DeviceKind::accelerator);
}

TEST_F(VulkanNonsense, ADeviceWithoutMemoryIsAbsent) {
  replace("vkGetPhysicalDeviceMemoryProperties2", &Broken::no_memory);
  EXPECT_EQ(physical().refusal(), "it has no memory");
}

TEST_F(VulkanNonsense, ATickThatIsNoNumberIsNoTick) {
  replace("vkGetPhysicalDeviceProperties", &Broken::properties);
  const DeviceInfo info = describe(physical(), 0, false);
  EXPECT_EQ(info.nanoseconds_per_tick, 1);
  EXPECT_EQ(info.capability(Feature::timestamp).support, Support::absent);
  EXPECT_EQ(info.capability(Feature::timestamp).detail,
            "timestampPeriod of the driver is (nan) nanoseconds, which is no length of a tick");
}

}  // namespace
}  // namespace pintle::vulkan
