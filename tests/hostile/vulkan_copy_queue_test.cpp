// Pintle's copy queues where the device has a family that only copies, in a process under the layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "base/dylib.h"
#include "hostile/vulkan_layer/questions.h"
#include "pintle/native/vulkan.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using namespace std::chrono_literals;

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

constexpr auto moment = 50ms;
constexpr std::uint32_t count = 1024;

Words ramp(std::uint32_t first) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

class HostileCopyQueue : public testing::Test {
 protected:
  Buffer allocate() { return must(device_.allocate(DType::u32, {count})); }
  template <class Function>
  Function* of_the_layer(const char* name) {
    return must(layer_.function<Function>(name));
  }

  const base::Dylib layer_ = must(base::Dylib::open(HOSTILE_VULKAN_LAYER));
  const Device device_ = must(open("vulkan:hostile"));
  Queue compute_ = must(device_.create_queue());
  Queue copies_ = must(device_.create_queue({.kind = QueueKind::copy, .label = "copies"}));
};

TEST_F(HostileCopyQueue, IsNative) {
  EXPECT_EQ(device_.info().capability(Feature::copy_queue).support, Support::native);
  const auto compute = must(compute_.native<vulkan::VulkanQueue>()),
             copies = must(copies_.native<vulkan::VulkanQueue>());
  EXPECT_EQ(compute.family, 0U);
  EXPECT_EQ(copies.family, 1U);
  EXPECT_NE(copies.queue, compute.queue);
}

// As vkCmdCopyBuffer from and to the host's cached memory, on the family for it.
TEST_F(HostileCopyQueue, CarriesUploadsAndDownloads) {
  const auto on_family = of_the_layer<decltype(hostile_count_second_family)>("hostile_count_second_family");
  const auto on_any = of_the_layer<decltype(hostile_count_copies)>("hostile_count_copies");
  const Buffer buffer = allocate();
  const Words values = ramp(7);
  std::uint64_t cached = 0, others = 0, cached_after = 0, others_after = 0;
  const std::uint64_t before = on_family();
  on_any(&cached, &others);
  must(copies_.submit_and_wait(CommandList{}.upload(buffer, values), 10s));
  EXPECT_EQ(must(read<std::uint32_t>(copies_, buffer, 10s)), values);
  on_any(&cached_after, &others_after);
  EXPECT_EQ(on_family(), before + 2);
  EXPECT_EQ(cached_after, cached + 2);
  EXPECT_EQ(others_after, others);
}

TEST_F(HostileCopyQueue, IsPassedAndAwaited) {
  const auto hold = of_the_layer<decltype(hostile_hold_second_family)>("hostile_hold_second_family");
  const Buffer first = allocate(), second = allocate(), third = allocate();
  const Words values = ramp(9);
  hold(true);
  const Point copied = must(copies_.submit(CommandList{}.upload(first, values)));
  must(compute_.submit_and_wait(CommandList{}.fill(second, 3U), 10s));
  const Point behind = must(compute_.submit(CommandList{}.copy(third, first), {.after = {copied}}));
  EXPECT_EQ(copied.wait(moment).error().code(), Errc::timeout);
  EXPECT_FALSE(must(behind.is_reached()));
  hold(false);
  must(behind.wait(10s));
  EXPECT_TRUE(must(copied.is_reached()));
  EXPECT_EQ(must(read<std::uint32_t>(compute_, third, 10s)), values);
}

/// Work on few buffers, each behind the last use of what it touches, on the one queue or the other.
TEST_F(HostileCopyQueue, HasTheRightBytesBetweenTwoFamilies) {
  struct Known {
    Buffer buffer;
    Words words;
    Point last;
  };
  std::mt19937 random(7);
  std::array<Known, 5> all;
  for (Known& one : all) {
    one.buffer = allocate();
    one.words = Words(count, 1);
    one.last = must(compute_.submit(CommandList{}.fill(one.buffer, 1U)));
  }
  for (std::uint32_t i = 0; i < 400; ++i) {
    Queue& queue = random() % 2 == 0 ? compute_ : copies_;
    Known &to = all[random() % all.size()], &from = all[random() % all.size()];
    const bool copies = &to != &from && random() % 2 == 0;
    const std::vector<Point> after = copies ? std::vector{to.last, from.last} : std::vector{to.last};
    CommandList list;
    to.words = copies ? from.words : ramp(i);
    if (copies) list.copy(to.buffer, from.buffer);
    else list.upload(to.buffer, to.words);
    to.last = must(queue.submit(std::move(list), {.after = after}));
    if (copies) from.last = to.last;
  }
  for (Known& one : all) {
    Words found(count);
    must(must(copies_.submit(CommandList{}.download(found, one.buffer), {.after = {one.last}})).wait(60s));
    EXPECT_EQ(found, one.words);
  }
}

// Vulkan resets queries, and copies what they found, in families that compute alone.
TEST_F(HostileCopyQueue, TakesTimestamps) {
  if (device_.info().capability(Feature::timestamp).support == Support::absent)
    GTEST_SKIP() << "there are no timestamps";
  const Buffer ticks = must(device_.allocate(DType::u64, {3})), work = allocate();
  const Words values = ramp(5);
  must(copies_.submit_and_wait(CommandList{}
                                   .timestamp(must(ticks.slice(0, 1)))
                                   .upload(work, values)
                                   .timestamp(must(ticks.slice(1, 1)))
                                   .timestamp(must(ticks.slice(2, 1))),
                               10s));
  const auto found = must(read<std::uint64_t>(copies_, ticks, 10s));
  EXPECT_GT(found[0], 0U);
  EXPECT_GE(found[1], found[0]);
  EXPECT_GE(found[2], found[1]);
  EXPECT_EQ(must(read<std::uint32_t>(copies_, work, 10s)), values);
}

TEST_F(HostileCopyQueue, CopiesWholeImagesAndThePartsThatTheFamilyTakes) {
  constexpr std::uint32_t side = 40;
  std::vector<std::uint8_t> values(side * side);
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  const Buffer from = must(device_.allocate(DType::u8, {side * side})),
               to = must(device_.allocate(DType::u8, {side * side}));
  const Image image = must(device_.create_image({side, side}, Texel::r8ui, {.access = Access::read}));
  must(copies_.submit_and_wait(CommandList{}.upload(from, values).copy(image, from).copy(to, image), 10s));
  EXPECT_EQ(must(read<std::uint8_t>(copies_, to, 10s)), values);
  const ImagePart corner{.x = 32, .y = 16}, odd{.x = 3, .y = 16, .extent = {5, 5}};
  must(copies_.submit_and_wait(CommandList{}.copy(image, from, corner), 10s));
  const auto refused = copies_.submit(CommandList{}.copy(image, from, odd));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_THAT(refused.error().text(), HasSubstr("(16, 16, 8)"));
  must(compute_.submit_and_wait(CommandList{}.copy(image, from, odd), 10s));
}

TEST_F(HostileCopyQueue, AVkQueueThatOnlyCopiesIsWrappedAsSuch) {
  const auto native = must(copies_.native<vulkan::VulkanQueue>());
  const auto refused = device_.wrap_native(native, {.label = "kernels"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(refused.error().text(), HasSubstr("Family (1)"));
  Queue wrapped = must(device_.wrap_native(native, {.kind = QueueKind::copy, .label = "copies, too"}));
  const Buffer buffer = allocate();
  must(wrapped.submit(CommandList{}.fill(buffer, 8U)));
  EXPECT_EQ(must(read<std::uint32_t>(wrapped, buffer, 10s)), Words(count, 8));
}

}  // namespace
}  // namespace pintle::test
