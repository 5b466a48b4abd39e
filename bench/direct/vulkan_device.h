// A Vulkan device with one queue, its mapped memory and its pipelines: no more than the reference needs.
#pragma once

#include <span>
#include <string>

#include "bench/direct/direct.h"
#include "bench/direct/vulkan_functions.h"

namespace pintle::bench {

class VulkanDevice {
 public:
  [[nodiscard]] Result<void> open(const Target& target);
  VulkanDevice() = default;
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;
  ~VulkanDevice();

  /// A type of `allowed` that the host can map without flushing, device-local and cached where there is such a one.
  [[nodiscard]] Result<std::uint32_t> mappable_type(std::uint32_t allowed) const;

  VulkanFunctions vk;
  VkDevice handle = nullptr;
  VkQueue queue = nullptr;
  std::uint32_t family = 0;

 private:
  [[nodiscard]] Result<void> find(const Target& target);
  [[nodiscard]] Result<void> find_family();

  const VulkanInstance* instance_ = nullptr;
  VkPhysicalDevice physical_ = nullptr;
};

/// A buffer in memory that stays mapped.
class VulkanMemory {
 public:
  explicit VulkanMemory(const VulkanDevice& device) noexcept : device_(device) {}
  VulkanMemory(const VulkanMemory&) = delete;
  VulkanMemory& operator=(const VulkanMemory&) = delete;
  ~VulkanMemory();

  [[nodiscard]] Result<void> allocate(std::size_t size);
  [[nodiscard]] VkBuffer buffer() const noexcept { return buffer_; }
  [[nodiscard]] std::byte* mapped() const noexcept { return mapped_; }

 private:
  const VulkanDevice& device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
};

/// What a kernel of the reference takes.
enum class VulkanArguments : unsigned char { none, buffer_and_u32 };

/// A compute pipeline, and a descriptor set for its buffer where it takes one.
class VulkanPipeline {
 public:
  explicit VulkanPipeline(const VulkanDevice& device) noexcept : device_(device) {}
  VulkanPipeline(const VulkanPipeline&) = delete;
  VulkanPipeline& operator=(const VulkanPipeline&) = delete;
  ~VulkanPipeline();

  /// Through the pipeline cache in `cache_file`, which is written where it is not there; without a name there is none.
  [[nodiscard]] Result<void> create(std::span<const std::uint32_t> words, VulkanArguments arguments,
                                    const std::string& cache_file);
  [[nodiscard]] Result<void> bind(VkBuffer buffer);

  [[nodiscard]] VkPipeline handle() const noexcept { return pipeline_; }
  [[nodiscard]] VkPipelineLayout layout() const noexcept { return layout_; }
  [[nodiscard]] VkDescriptorSet set() const noexcept { return set_; }

 private:
  [[nodiscard]] Result<void> create_layout(VulkanArguments arguments);
  [[nodiscard]] Result<void> create_set();
  [[nodiscard]] Result<void> create_pipeline(std::span<const std::uint32_t> words);
  [[nodiscard]] Result<void> keep_cache(const std::string& file) const;

  const VulkanDevice& device_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace pintle::bench
