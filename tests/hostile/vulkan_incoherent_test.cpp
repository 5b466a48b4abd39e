// Memory that is not coherent, by hand, in a process under the layer with that habit.
#include <cstring>
#include <type_traits>
#include <vector>

#include "hostile/vulkan_by_hand.h"

namespace pintle::test {
namespace {

constexpr std::uint32_t coherent_type = 2, incoherent_type = 3;
constexpr std::uint32_t size = 1 << 12;

std::uint32_t word_at(const std::byte* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

class HostileIncoherent : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto load = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(vk().GetDeviceProcAddr(hand_.device, name));
      ASSERT_NE(function, nullptr);
    };
    load(flush_, "vkFlushMappedMemoryRanges");
    load(invalidate_, "vkInvalidateMappedMemoryRanges");
    memory_ = hand_.allocate(incoherent_type);
    buffer_ = hand_.buffer_in(memory_);
    mapped_ = hand_.map(memory_);
  }

  [[nodiscard]] VkMappedMemoryRange range(VkDeviceSize offset, VkDeviceSize bytes) const {
    return {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_, offset, bytes};
  }
  /// The memory's first word, as the device sees it.
  std::uint32_t seen_by_the_device() {
    const VkDeviceMemory other = hand_.allocate(coherent_type);
    const std::byte* const bytes = hand_.map(other);
    EXPECT_EQ(hand_.submit_copy(buffer_, hand_.buffer_in(other)), VK_SUCCESS);
    EXPECT_EQ(hand_.wait(long_time), VK_SUCCESS);
    return word_at(bytes);
  }
  void fill(std::uint32_t word) {
    EXPECT_EQ(hand_.submit_fill(word, buffer_), VK_SUCCESS);
    EXPECT_EQ(hand_.wait(long_time), VK_SUCCESS);
  }

  ByHand hand_;
  PFN_vkFlushMappedMemoryRanges flush_ = nullptr;
  PFN_vkInvalidateMappedMemoryRanges invalidate_ = nullptr;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
};

TEST_F(HostileIncoherent, OneTypeIsCoherent) {
  const auto memory = memory_of(physical());
  std::vector<std::uint32_t> coherent;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if ((memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0) coherent.push_back(type);
  }
  EXPECT_EQ(coherent, std::vector{coherent_type});
  VkPhysicalDeviceProperties properties{};
  vk().GetPhysicalDeviceProperties(physical(), &properties);
  EXPECT_EQ(properties.limits.nonCoherentAtomSize, 64U);
}

TEST_F(HostileIncoherent, TheDeviceSeesWhatIsFlushed) {
  fill(5);
  std::memset(mapped_, 7, size);
  EXPECT_EQ(seen_by_the_device(), 5U);
  const auto first = range(0, 64);
  ASSERT_EQ(flush_(hand_.device, 1, &first), VK_SUCCESS);
  EXPECT_EQ(seen_by_the_device(), 0x07070707U);
}

TEST_F(HostileIncoherent, TheHostSeesWhatIsInvalidated) {
  fill(5);
  EXPECT_NE(word_at(mapped_), 5U);
  const auto whole = range(0, VK_WHOLE_SIZE);
  ASSERT_EQ(invalidate_(hand_.device, 1, &whole), VK_SUCCESS);
  EXPECT_EQ(word_at(mapped_), 5U);
  fill(6);
  EXPECT_EQ(word_at(mapped_), 5U);
}

TEST_F(HostileIncoherent, EndsTheProcessAtARangeOfHalfAnAtom) {
  const auto half = range(32, 64);
  EXPECT_DEATH(static_cast<void>(flush_(hand_.device, 1, &half)),
               "hostile: vkFlushMappedMemoryRanges gets a range that is no multiple of nonCoherentAtomSize");
}

}  // namespace
}  // namespace pintle::test
