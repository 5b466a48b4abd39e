// What the vulkan backend says of a device that is at fault, in a process under the layer. A fill with one of the
// layer's words is the fault.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "base/dylib.h"
#include "hostile/vulkan_layer/questions.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using namespace std::chrono_literals;

using enum hostile::Fault;
constexpr auto moment = 50ms;

Device hostile() { return must(open("vulkan:hostile")); }

/// Whether a buffer gets its bytes.
bool works(const Device& device) {
  Queue queue = must(device.create_queue());
  const Buffer buffer = must(device.allocate(DType::u32, {64}));
  must(queue.submit_and_wait(CommandList{}.fill(buffer, 7u), 10s));
  return must(read<std::uint32_t>(queue, buffer, 10s)) == std::vector<std::uint32_t>(64, 7);
}

/// A queue that has submitted the fault.
struct Faulty {
  explicit Faulty(const Device& device, hostile::Fault fault)
      : queue(must(device.create_queue())), buffer(must(device.allocate(DType::u32, {64}))) {
    point = must(queue.submit(CommandList{}.fill(buffer, static_cast<std::uint32_t>(fault))));
  }
  Point submit() { return must(queue.submit(CommandList{}.fill(buffer, 1u))); }

  Queue queue;
  Buffer buffer;
  Point point;
};

class HostileVulkanFaults : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(HostileVulkanFaults, RecoverFindsADeviceThatAnswersNothingMore) {
  const Device device = hostile();
  Faulty faulty(device, silent);
  must(faulty.point.wait(10s));
  const Point after = faulty.submit();
  EXPECT_EQ(after.wait(moment).error().code(), Errc::timeout);
  must(device.recover());
  EXPECT_EQ(device.generation(), 2u);
  EXPECT_EQ(after.wait(moment).error().code(), Errc::device_lost);
  EXPECT_TRUE(works(device));
}

TEST_F(HostileVulkanFaults, PendingWaitsEndWhenAnEndlessKernelIsGivenUp) {
  const Device device = hostile();
  const Faulty faulty(device, endless);
  std::optional<Errc> ended;
  std::thread waiting([&] { ended = faulty.point.wait(60s).error().code(); });
  must(device.recover());
  waiting.join();
  EXPECT_EQ(ended, Errc::device_lost);
  EXPECT_TRUE(works(device));
}

TEST_F(HostileVulkanFaults, AWaitThatTimesOutHasTheDeviceLookedAt) {
  const Device device = hostile();
  const Faulty faulty(device, endless);
  EXPECT_EQ(faulty.point.wait(moment).error().code(), Errc::timeout);
  EXPECT_EQ(faulty.point.wait(60s).error().code(), Errc::device_lost);
  must(device.recover());
  EXPECT_TRUE(works(device));
}

TEST_F(HostileVulkanFaults, ADeviceThatSaysItIsLostIsRecovered) {
  const Device device = hostile();
  const Faulty faulty(device, lost);
  EXPECT_EQ(faulty.point.wait(10s).error().code(), Errc::device_lost);
  EXPECT_EQ(device.health().error().code(), Errc::device_lost);
  must(device.recover());
  EXPECT_EQ(device.generation(), 2u);
  EXPECT_TRUE(works(device));
}

TEST_F(HostileVulkanFaults, AProcessWhoseNewDevicesDoNotAnswerIsPoisoned) {
  const auto poison = [] {
    const Device device = hostile();
    const Faulty faulty(device, poisoned);
    must(faulty.point.wait(10s));
    const auto recovered = device.recover();
    std::_Exit(!recovered && recovered.error().code() == Errc::process_poisoned && device.generation() == 1 ? 0 : 1);
  };
  EXPECT_EXIT(poison(), testing::ExitedWithCode(0), "");
}

// Pintle waits for at most ten seconds; the alarm ends a process that goes on.
TEST_F(HostileVulkanFaults, TheProcessEndsWithADeviceThatAnswersNothing) {
  const auto leave = [] {
    {
      const Device device = hostile();
      Faulty faulty(device, silent);
      must(faulty.point.wait(10s));
      ::alarm(13);
      faulty.submit();
    }
    std::exit(0);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(0), "");
}

TEST_F(HostileVulkanFaults, StagedBytesGoThroughCachedMemory) {
  const auto layer = must(base::Dylib::open(HOSTILE_VULKAN_LAYER));
  const auto count = must(layer.function<decltype(hostile_count_copies)>("hostile_count_copies"));
  const Device device = hostile();
  Queue queue = must(device.create_queue());
  const std::vector<std::uint32_t> values(1024, 5);
  const Buffer buffer = must(device.allocate_for(values));
  std::uint64_t cached = 0, others = 0, cached_after = 0, others_after = 0;
  count(&cached, &others);
  must(queue.submit_and_wait(CommandList{}.upload(buffer, values), 10s));
  EXPECT_EQ(must(read<std::uint32_t>(queue, buffer, 10s)), values);
  count(&cached_after, &others_after);
  EXPECT_EQ(cached_after, cached + 2);
  EXPECT_EQ(others_after, others);
}

}  // namespace
}  // namespace pintle::test
