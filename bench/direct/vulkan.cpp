// The reference in Vulkan: command buffers that are recorded once, a timeline semaphore, memory that stays mapped.
#include <cstring>
#include <limits>

#include "bench/direct/vulkan_device.h"
#include "bench/kernels/kernel_text.h"
#include "bench/kernels/turn.h"

namespace pintle::bench {
namespace {

class DirectVulkan final : public Direct {
 public:
  explicit DirectVulkan(std::string cache) : cache_(std::move(cache)) {}
  ~DirectVulkan() override;

  Result<void> open(const Target& target);
  Result<void> record(std::uint32_t launches) override;
  Result<void> submit() override;
  Result<void> wait() override;
  Result<void> allocate(std::size_t size) override { return memory_.allocate(size); }
  Result<void> upload(std::span<const std::byte> from) override;
  Result<void> download(std::span<std::byte> to) override;
  Result<std::vector<std::uint32_t>> turn(std::uint32_t rounds) override;

 private:
  Result<void> begin();
  void record_turn(const VulkanPipeline& pipeline, std::uint32_t rounds);

  VulkanDevice device_;
  const VulkanFunctions& vk_ = device_.vk;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = nullptr;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
  VulkanPipeline nothing_{device_};
  VulkanMemory memory_{device_};
  std::string cache_;
};

DirectVulkan::~DirectVulkan() {
  if (vk_.DeviceWaitIdle == nullptr) return;
  vk_.DeviceWaitIdle(device_.handle);
  if (timeline_ != VK_NULL_HANDLE) vk_.DestroySemaphore(device_.handle, timeline_, nullptr);
  if (pool_ != VK_NULL_HANDLE) vk_.DestroyCommandPool(device_.handle, pool_, nullptr);
}

Result<void> DirectVulkan::open(const Target& target) {
  PINTLE_TRY(device_.open(target));
  const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, device_.family};
  PINTLE_TRY(check_call(vk_.CreateCommandPool(device_.handle, &pool, nullptr, &pool_), "vkCreateCommandPool"));
  const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                        VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  PINTLE_TRY(check_call(vk_.AllocateCommandBuffers(device_.handle, &one, &commands_), "vkAllocateCommandBuffers"));
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  return check_call(vk_.CreateSemaphore(device_.handle, &timeline, nullptr, &timeline_), "vkCreateSemaphore");
}

Result<void> DirectVulkan::begin() {
  PINTLE_TRY(check_call(vk_.ResetCommandPool(device_.handle, pool_, 0), "vkResetCommandPool"));
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  return check_call(vk_.BeginCommandBuffer(commands_, &info), "vkBeginCommandBuffer");
}

Result<void> DirectVulkan::record(std::uint32_t launches) {
  if (nothing_.handle() == VK_NULL_HANDLE) PINTLE_TRY(nothing_.create(spirv_nothing, VulkanArguments::none, {}));
  PINTLE_TRY(begin());
  vk_.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, nothing_.handle());
  for (std::uint32_t i = 0; i < launches; ++i) vk_.CmdDispatch(commands_, 1, 1, 1);
  return check_call(vk_.EndCommandBuffer(commands_), "vkEndCommandBuffer");
}

Result<void> DirectVulkan::submit() {
  const std::uint64_t value = value_ + 1;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands_;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline_;
  PINTLE_TRY(check_call(vk_.QueueSubmit(device_.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit"));
  value_ = value;
  return {};
}

Result<void> DirectVulkan::wait() {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &value_;
  constexpr auto for_ever = std::numeric_limits<std::uint64_t>::max();
  return check_call(vk_.WaitSemaphores(device_.handle, &info, for_ever), "vkWaitSemaphores");
}

Result<void> DirectVulkan::upload(std::span<const std::byte> from) {
  std::memcpy(memory_.mapped(), from.data(), from.size());
  return {};
}

Result<void> DirectVulkan::download(std::span<std::byte> to) {
  std::memcpy(to.data(), memory_.mapped(), to.size());
  return {};
}

void DirectVulkan::record_turn(const VulkanPipeline& pipeline, std::uint32_t rounds) {
  const VkDescriptorSet set = pipeline.set();
  vk_.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
  vk_.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &set, 0, nullptr);
  vk_.CmdPushConstants(commands_, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof rounds, &rounds);
  vk_.CmdDispatch(commands_, 1, 1, 1);
  const VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                VK_ACCESS_HOST_READ_BIT};
  vk_.CmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                         nullptr, 0, nullptr);
}

Result<std::vector<std::uint32_t>> DirectVulkan::turn(std::uint32_t rounds) {
  VulkanPipeline pipeline(device_);
  PINTLE_TRY(pipeline.create(spirv_turn, VulkanArguments::buffer_and_u32,
                             cache_.empty() ? cache_ : cache_ + "/pipelines.vulkan"));
  std::vector<std::uint32_t> values(turn_group);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(values));
  PINTLE_TRY(memory_.allocate(bytes.size()));
  PINTLE_TRY(upload(bytes));
  PINTLE_TRY(pipeline.bind(memory_.buffer()));
  PINTLE_TRY(begin());
  record_turn(pipeline, rounds);
  PINTLE_TRY(check_call(vk_.EndCommandBuffer(commands_), "vkEndCommandBuffer"));
  PINTLE_TRY(submit());
  PINTLE_TRY(wait());
  PINTLE_TRY(download(bytes));
  return values;
}

}  // namespace

Result<std::unique_ptr<Direct>> open_direct_vulkan(const Target& target, const std::string& cache) {
  auto direct = std::make_unique<DirectVulkan>(cache);
  PINTLE_TRY(direct->open(target));
  return std::unique_ptr<Direct>(std::move(direct));
}

}  // namespace pintle::bench
