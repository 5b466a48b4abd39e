// How a wait looks and sleeps, over a driver whose calls the test counts.
#include "backends/vulkan/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "empty_vulkan.h"
#include "pintle/must.h"

namespace pintle::vulkan {
namespace {

using namespace std::chrono_literals;
using test::empty_vulkan::some;

/// What the driver does when it is asked for the counter, and when it is waited in.
struct Driver {
  static VKAPI_ATTR VkResult VKAPI_CALL look(VkDevice, VkSemaphore, std::uint64_t* value) {
    ++looks;
    *value = reached;
    return answer;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL sleep(VkDevice, const VkSemaphoreWaitInfo* info, std::uint64_t nanoseconds) {
    sleeps.emplace_back(static_cast<std::int64_t>(nanoseconds));
    std::this_thread::sleep_for(std::min(sleeps.back(), takes));
    if (sleeps.back() < takes) return VK_TIMEOUT;
    reached = info->pValues[0];
    return VK_SUCCESS;
  }

  inline static std::uint64_t reached = 0;
  inline static VkResult answer = VK_SUCCESS;
  inline static Duration takes{};
  inline static int looks = 0;
  inline static std::vector<Duration> sleeps;  // how long each was allowed to be
};

class VulkanTimeline : public testing::Test {
 protected:
  void SetUp() override {
    Driver::reached = 0;
    Driver::answer = VK_SUCCESS;
    Driver::takes = {};
    auto& replaced = test::empty_vulkan::replaced();
    replaced["vkGetSemaphoreCounterValue"] = test::empty_vulkan::any(&Driver::look);
    replaced["vkWaitSemaphores"] = test::empty_vulkan::any(&Driver::sleep);
    queues_.queueCount = 1;
    made_.queueCreateInfoCount = 1;
    made_.pQueueCreateInfos = &queues_;
    open(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
  }
  void TearDown() override {
    Driver::answer = VK_SUCCESS;
    timeline_.reset();
    context_.reset();
    test::empty_vulkan::replaced().clear();
  }

  void open(VkPhysicalDeviceType type) {
    timeline_.reset();
    const std::shared_ptr<const Instance> instance =
        must(Instance::wrap(some<VkInstance>(), &test::empty_vulkan::find_of_instance));
    Physical physical = Physical::of(instance->functions(), some<VkPhysicalDevice>());
    physical.properties.deviceType = type;
    const VulkanDevice given{
        instance->handle(), physical.handle, some<VkDevice>(), some<VkQueue>(), 0, &made_, nullptr};
    context_ = must(Context::wrap(instance, std::move(physical), "vulkan:0", given));
    timeline_ = must(Timeline::create(*context_));
    forget();
  }
  static void forget() {
    Driver::looks = 0;
    Driver::sleeps.clear();
  }
  /// For the next value.
  Result<void> wait(Deadline deadline = Clock::now() + 1h) { return timeline_->wait(++value_, deadline); }
  void wait_long(int times) {
    Driver::takes = host::SpinThenSleep::most;
    for (int i = 0; i < times; ++i) EXPECT_TRUE(wait());
    Driver::takes = {};
  }

  VkDeviceQueueCreateInfo queues_{};
  VkDeviceCreateInfo made_{};
  std::unique_ptr<Context> context_;
  std::shared_ptr<Timeline> timeline_;
  std::uint64_t value_ = 0;
};

TEST_F(VulkanTimeline, AShortWaitDoesNotSleep) {
  for (int i = 0; i < 10; ++i) {
    Driver::reached = value_ + 1;
    EXPECT_TRUE(wait());
  }
  EXPECT_EQ(Driver::looks, 10);
  EXPECT_TRUE(Driver::sleeps.empty());
}

TEST_F(VulkanTimeline, ALongWaitSleepsOnce) {
  wait_long(1);
  EXPECT_GT(Driver::looks, 0);
  EXPECT_EQ(Driver::sleeps.size(), 1U);
}

TEST_F(VulkanTimeline, AfterLongWaitsNobodyLooksUntilWaitsAreShort) {
  wait_long(7);
  forget();
  wait_long(3);
  EXPECT_EQ(Driver::looks, 0);
  EXPECT_EQ(Driver::sleeps.size(), 3U);
  for (int i = 0; i < 10'000 && Driver::looks == 0; ++i) EXPECT_TRUE(wait());  // short, but where the system is busy
  EXPECT_GT(Driver::looks, 0);
}

TEST_F(VulkanTimeline, AWaitKeepsItsDeadline) {
  Driver::takes = 1h;
  EXPECT_EQ(wait(Clock::now() + 1ms).error().code(), Errc::timeout);
  ASSERT_FALSE(Driver::sleeps.empty());
  EXPECT_LE(std::ranges::max(Driver::sleeps), 1ms);
}

TEST_F(VulkanTimeline, APassedDeadlineIsOneQuestion) {
  Driver::takes = 1h;
  EXPECT_EQ(wait(Clock::now()).error().code(), Errc::timeout);
  EXPECT_EQ(Driver::looks, 0);
  EXPECT_EQ(Driver::sleeps, std::vector<Duration>{0ns});
}

TEST_F(VulkanTimeline, ALossEndsTheLooking) {
  Driver::answer = VK_ERROR_DEVICE_LOST;
  EXPECT_EQ(wait().error().code(), Errc::device_lost);
  EXPECT_TRUE(Driver::sleeps.empty());
}

TEST_F(VulkanTimeline, ADeviceInSoftwareHasTheProcessorToItself) {
  open(VK_PHYSICAL_DEVICE_TYPE_CPU);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(wait());
  EXPECT_EQ(Driver::looks, 0);
  EXPECT_EQ(Driver::sleeps.size(), 10U);
}

}  // namespace
}  // namespace pintle::vulkan
