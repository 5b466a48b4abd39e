#include <filesystem>

#include "base/file.h"
#include "bench/direct/vulkan_device.h"

namespace pintle::bench {
namespace {

constexpr VkDescriptorSetLayoutBinding storage_buffer{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                      VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
constexpr VkPushConstantRange one_u32{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(std::uint32_t)};

}  // namespace

VulkanPipeline::~VulkanPipeline() {
  const VulkanFunctions& vk = device_.vk;
  if (pipeline_ != VK_NULL_HANDLE) vk.DestroyPipeline(device_.handle, pipeline_, nullptr);
  if (cache_ != VK_NULL_HANDLE) vk.DestroyPipelineCache(device_.handle, cache_, nullptr);
  if (layout_ != VK_NULL_HANDLE) vk.DestroyPipelineLayout(device_.handle, layout_, nullptr);
  if (pool_ != VK_NULL_HANDLE) vk.DestroyDescriptorPool(device_.handle, pool_, nullptr);
  if (set_layout_ != VK_NULL_HANDLE) vk.DestroyDescriptorSetLayout(device_.handle, set_layout_, nullptr);
}

Result<void> VulkanPipeline::create(std::span<const std::uint32_t> words, VulkanArguments arguments,
                                    const std::string& cache_file) {
  PINTLE_TRY(create_layout(arguments));
  if (cache_file.empty()) return create_pipeline(words);
  std::vector<std::byte> kept;
  const bool is_warm = std::filesystem::exists(cache_file);
  if (is_warm) {
    PINTLE_ASSIGN(read, base::read_file(cache_file));
    kept = std::move(read);
  }
  const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, kept.size(),
                                       kept.data()};
  PINTLE_TRY(
      check_call(device_.vk.CreatePipelineCache(device_.handle, &info, nullptr, &cache_), "vkCreatePipelineCache"));
  PINTLE_TRY(create_pipeline(words));
  return is_warm ? Result<void>() : keep_cache(cache_file);
}

Result<void> VulkanPipeline::keep_cache(const std::string& file) const {
  std::size_t size = 0;
  PINTLE_TRY(
      check_call(device_.vk.GetPipelineCacheData(device_.handle, cache_, &size, nullptr), "vkGetPipelineCacheData"));
  std::vector<std::byte> bytes(size);
  PINTLE_TRY(check_call(device_.vk.GetPipelineCacheData(device_.handle, cache_, &size, bytes.data()),
                        "vkGetPipelineCacheData"));
  return base::write_file(file, std::span(bytes).first(size));
}

Result<void> VulkanPipeline::create_layout(VulkanArguments arguments) {
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  if (arguments == VulkanArguments::buffer_and_u32) {
    PINTLE_TRY(create_set());
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout_;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &one_u32;
  }
  return check_call(device_.vk.CreatePipelineLayout(device_.handle, &info, nullptr, &layout_),
                    "vkCreatePipelineLayout");
}

Result<void> VulkanPipeline::create_set() {
  const VulkanFunctions& vk = device_.vk;
  const VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                               &storage_buffer};
  PINTLE_TRY(check_call(vk.CreateDescriptorSetLayout(device_.handle, &layout, nullptr, &set_layout_),
                        "vkCreateDescriptorSetLayout"));
  const VkDescriptorPoolSize one{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  const VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &one};
  PINTLE_TRY(check_call(vk.CreateDescriptorPool(device_.handle, &pool, nullptr, &pool_), "vkCreateDescriptorPool"));
  const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool_, 1,
                                         &set_layout_};
  return check_call(vk.AllocateDescriptorSets(device_.handle, &info, &set_), "vkAllocateDescriptorSets");
}

Result<void> VulkanPipeline::bind(VkBuffer buffer) {
  const VkDescriptorBufferInfo all{buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &all;
  device_.vk.UpdateDescriptorSets(device_.handle, 1, &write, 0, nullptr);
  return {};
}

Result<void> VulkanPipeline::create_pipeline(std::span<const std::uint32_t> words) {
  const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size_bytes(),
                                      words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  PINTLE_TRY(
      check_call(device_.vk.CreateShaderModule(device_.handle, &code, nullptr, &module), "vkCreateShaderModule"));
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = layout_;
  const VkResult created = device_.vk.CreateComputePipelines(device_.handle, cache_, 1, &info, nullptr, &pipeline_);
  device_.vk.DestroyShaderModule(device_.handle, module, nullptr);
  return check_call(created, "vkCreateComputePipelines");
}

}  // namespace pintle::bench
