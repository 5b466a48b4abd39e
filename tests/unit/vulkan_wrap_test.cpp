// Vulkan objects that a program has made itself, under Pintle's devices, buffers and queues.
#include <gmock/gmock.h>

#include <cstring>

#include "pintle/native/cpu.h"
#include "pintle/native/vulkan.h"
#include "pintle/pintle.h"
#include "vendor/vulkan/instance.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;
using vendor::vulkan::DeviceFunctions;
using vendor::vulkan::Instance;
using vulkan::VulkanDevice;
using vulkan::VulkanMemory;
using vulkan::VulkanQueue;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t size = 1000;

/// What a program that comes from Vulkan has before it meets Pintle.
class Made {
 public:
  Made(const Instance& instance, VkPhysicalDevice physical, VkBool32 with_timelines = VK_TRUE) : instance_(instance) {
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features.timelineSemaphore = with_timelines;
    queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queues;
    EXPECT_EQ(instance.functions().CreateDevice(physical, &info, nullptr, &device), VK_SUCCESS);
    must(vk.load(instance.functions().GetDeviceProcAddr, device));
    vk.GetDeviceQueue(device, 0, 0, &queue);
    given = {instance.handle(), physical, device, queue, 0, &info, nullptr};
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    vk.DestroyBuffer(device, buffer, nullptr);
    vk.FreeMemory(device, memory, nullptr);
    vk.DestroyDevice(device, nullptr);
  }

  /// A VkBuffer in memory that the host sees.
  VulkanMemory make_buffer(std::uint64_t bytes) {
    VkBufferCreateInfo wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    wanted.size = bytes;
    wanted.usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    EXPECT_EQ(vk.CreateBuffer(device, &wanted, nullptr, &buffer), VK_SUCCESS);
    VkMemoryRequirements needs{};
    vk.GetBufferMemoryRequirements(device, buffer, &needs);
    const VkMemoryAllocateInfo all{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, host_type(needs)};
    EXPECT_EQ(vk.AllocateMemory(device, &all, nullptr, &memory), VK_SUCCESS);
    EXPECT_EQ(vk.BindBufferMemory(device, buffer, memory, 0), VK_SUCCESS);
    return {reinterpret_cast<std::uint64_t>(buffer), reinterpret_cast<std::uint64_t>(memory), 0, bytes, 0};
  }
  /// What the program sees in its buffer, with calls of its own.
  Words words(std::size_t count) {
    void* data = nullptr;
    const auto unmap =
        reinterpret_cast<PFN_vkUnmapMemory>(instance_.functions().GetDeviceProcAddr(device, "vkUnmapMemory"));
    EXPECT_EQ(vk.MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &data), VK_SUCCESS);
    Words seen(count);
    std::memcpy(seen.data(), data, count * sizeof(std::uint32_t));
    unmap(device, memory);
    return seen;
  }

  float priority = 1;
  VkPhysicalDeviceVulkan12Features features{};
  VkDeviceQueueCreateInfo queues{};
  VkDeviceCreateInfo info{};
  VkDevice device = nullptr;
  VkQueue queue = nullptr;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  DeviceFunctions vk;
  VulkanDevice given;

 private:
  [[nodiscard]] std::uint32_t host_type(const VkMemoryRequirements& needs) const {
    VkPhysicalDeviceMemoryProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, nullptr, {}};
    instance_.functions().GetPhysicalDeviceMemoryProperties2(static_cast<VkPhysicalDevice>(given.physical_device),
                                                             &all);
    constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (std::uint32_t type = 0; type < all.memoryProperties.memoryTypeCount; ++type) {
      const bool is_wanted = (all.memoryProperties.memoryTypes[type].propertyFlags & wanted) == wanted;
      if (is_wanted && (needs.memoryTypeBits & (1u << type)) != 0) return type;
    }
    ADD_FAILURE() << "no memory that the host sees";
    return 0;
  }

  const Instance& instance_;
};

/// Runs each test on every physical device.
class VulkanWrapTest : public testing::Test {
 protected:
  void SetUp() override {
    auto created = Instance::create();
    if (!created) GTEST_SKIP() << created.error().text();
    instance_ = *std::move(created);
    all_ = must(instance_->physical_devices());
    if (all_.empty()) GTEST_SKIP() << "this machine has no Vulkan device";
  }
  template <class Body>
  void each(Body body) {
    for (const VkPhysicalDevice physical : all_) {
      Made made(*instance_, physical);
      body(made);
    }
  }

  std::unique_ptr<Instance> instance_;
  std::vector<VkPhysicalDevice> all_;
};

Error refusal(const VulkanDevice& given) {
  const auto wrapped = wrap_native(given);
  return wrapped ? Error(Errc::internal, "it was wrapped") : wrapped.error();
}

TEST_F(VulkanWrapTest, ADeviceRunsAndStaysTheCallers) {
  each([](Made& made) {
    {
      const Device device = must(wrap_native(made.given));
      EXPECT_THAT(std::string(device.id()), HasSubstr("vulkan?native="));
      EXPECT_EQ(must(device.native<VulkanDevice>()).device, made.device);
      Queue queue = must(device.create_queue());
      const Buffer buffer = must(device.allocate(DType::u32, {size}));
      must(queue.submit(CommandList{}.fill(buffer, 7u)));
      EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), Words(size, 7));
      EXPECT_EQ(must(queue.native<VulkanQueue>()).queue, made.queue);
      must(device.health());
    }
    EXPECT_EQ(made.vk.QueueWaitIdle(made.queue), VK_SUCCESS);
  });
}

TEST_F(VulkanWrapTest, KernelsWorkOnWrappedBuffers) {
  each([](Made& made) {
    const Device device = must(wrap_native(made.given));
    if (device.info().formats.size() < 2) GTEST_SKIP() << "there is no compiler of GLSL";
    const VulkanMemory memory = made.make_buffer(size * sizeof(std::uint32_t));
    const Buffer wrapped = must(device.wrap_native(memory, DType::u32, {size}, "theirs"));
    const auto pack = must(ProgramPack::source("glsl", R"(#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Scalars { uint added; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) words[i] += added;
})",
                                               {"add(words: read_write u32[], added: u32, count: u32) group 64"}));
    const Kernel add = must(device.load(pack, "add"));
    Queue queue = must(device.create_queue());
    must(queue.submit_and_wait(CommandList{}.fill(wrapped, 40u).exec(add, Grid::cover(size), wrapped, 2u, size)));
    EXPECT_EQ(made.words(size), Words(size, 42));
    EXPECT_EQ(must(wrapped.native<VulkanMemory>()).buffer, memory.buffer);
    EXPECT_EQ(must(read<std::uint32_t>(queue, wrapped)), Words(size, 42));
  });
}

TEST_F(VulkanWrapTest, NothingTellsWhetherTheirBuffersMayBeTexels) {
  each([](Made& made) {
    const Device device = must(wrap_native(made.given));
    if (device.info().formats.size() < 2) GTEST_SKIP() << "there is no compiler of GLSL";
    const Buffer theirs = must(device.wrap_native(made.make_buffer(size), DType::u32, {size / 4}, "theirs"));
    const Buffer ours = must(device.allocate(DType::u32, {size / 4}));
    const auto pack = must(ProgramPack::source("glsl", R"(#version 450
layout(binding = 0, r32ui) uniform writeonly uimageBuffer all;
void main() { imageStore(all, 0, uvec4(7)); })",
                                               {"put(all: write texel_buffer r32ui)"}));
    const Kernel put = must(device.load(pack, "put"));
    Queue queue = must(device.create_queue());
    must(queue.submit_and_wait(CommandList{}.exec(put, Grid{1}, TexelBuffer{ours, Texel::r32ui})));
    EXPECT_EQ(must(read<std::uint32_t>(queue, ours)).at(0), 7u);
    const auto refused = queue.submit(CommandList{}.exec(put, Grid{1}, TexelBuffer{theirs, Texel::r32ui}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_THAT(refused.error().text(), HasSubstr("a texel buffer in a VkBuffer of the caller's"));
  });
}

TEST_F(VulkanWrapTest, BuffersThatDoNotFitAreRefused) {
  each([](Made& made) {
    const Device device = must(wrap_native(made.given));
    VulkanMemory memory = made.make_buffer(64);
    const auto wrap = [&](const auto& native, std::uint64_t count) {
      const auto wrapped = device.wrap_native(native, DType::u32, {count});
      return wrapped ? Error(Errc::internal, "it was wrapped") : wrapped.error();
    };
    EXPECT_EQ(wrap(memory, 17).code(), Errc::invalid_argument);
    EXPECT_THAT(wrap(memory, 17).text(), AllOf(HasSubstr("(64)"), HasSubstr("(68)")));
    EXPECT_EQ(wrap(memory, 0).code(), Errc::invalid_argument);
    EXPECT_EQ(wrap(cpu::CpuMemory{&memory}, 16).code(), Errc::unsupported);
    memory.offset = 2;
    EXPECT_THAT(wrap(memory, 1).text(), HasSubstr("Offset (2)"));
    memory.buffer = 0;
    EXPECT_THAT(wrap(memory, 1).text(), HasSubstr("VkBuffer is null"));
  });
}

TEST_F(VulkanWrapTest, AQueueIsWrapped) {
  each([](Made& made) {
    const Device device = must(wrap_native(made.given));
    Queue queue = must(device.wrap_native(VulkanQueue{made.queue, 0}, {.label = "theirs"}));
    const Buffer buffer = must(device.allocate(DType::u32, {size}));
    must(queue.submit(CommandList{}.fill(buffer, 5u)));
    EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), Words(size, 5));
    const auto foreign = device.wrap_native(VulkanQueue{made.queue, 7}, {});
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code(), Errc::invalid_argument);
    EXPECT_THAT(foreign.error().text(), HasSubstr("Family (7)"));
    EXPECT_EQ(device.wrap_native(VulkanQueue{}, {}).error().code(), Errc::invalid_argument);
  });
}

TEST_F(VulkanWrapTest, WhatIsMissingIsNamed) {
  each([](Made& made) {
    VulkanDevice given = made.given;
    given.create_info = nullptr;
    EXPECT_EQ(refusal(given).code(), Errc::invalid_argument);
    EXPECT_THAT(refusal(given).text(), HasSubstr("create_info"));
    given = made.given;
    given.device = nullptr;
    EXPECT_THAT(refusal(given).text(), HasSubstr("(device)"));
    given = made.given;
    given.queue = nullptr;
    EXPECT_THAT(refusal(given).text(), HasSubstr("VkQueue"));
    given = made.given;
    given.queue_family = 99;
    EXPECT_THAT(refusal(given).text(), HasSubstr("family (99)"));
  });
  Made without(*instance_, all_.front(), VK_FALSE);
  EXPECT_THAT(refusal(without.given).text(), HasSubstr("timeline semaphores"));
}

}  // namespace
}  // namespace pintle::test
