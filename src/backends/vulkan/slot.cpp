#include "backends/vulkan/slot.h"

#include <algorithm>
#include <array>
#include <bit>

namespace pintle::vulkan {

Result<std::unique_ptr<Slot>> Slot::create(Context& context, StagingPool& pool, const Lane& lane, Level level) {
  std::unique_ptr<Slot> slot(new Slot(context, pool, lane, level));
  const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, lane.family.index};
  PINTLE_TRY(context.check(context.vk.CreateCommandPool(context.device(), &info, nullptr, &slot->pool_),
                           "vkCreateCommandPool"));
  const VkCommandBufferAllocateInfo one{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, slot->pool_,
      level == Level::submitted ? VK_COMMAND_BUFFER_LEVEL_PRIMARY : VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  PINTLE_TRY(context.check(context.vk.AllocateCommandBuffers(context.device(), &one, &slot->commands_),
                           "vkAllocateCommandBuffers"));
  return slot;
}

Slot::~Slot() {
  const DeviceFunctions& vk = context_.vk;
  const VkDevice device = context_.device();
  for (const VkDescriptorPool pool : sets_) vk.DestroyDescriptorPool(device, pool, nullptr);
  if (queries_ != VK_NULL_HANDLE) vk.DestroyQueryPool(device, queries_, nullptr);
  if (pool_ != VK_NULL_HANDLE) vk.DestroyCommandPool(device, pool_, nullptr);
}

Result<void> Slot::begin() {
  reset();
  const DeviceFunctions& vk = context_.vk;
  for (std::size_t pool = 0; pool <= open_sets_ && pool < sets_.size(); ++pool)
    PINTLE_TRY(context_.check(vk.ResetDescriptorPool(context_.device(), sets_[pool], 0), "vkResetDescriptorPool"));
  open_sets_ = 0;
  PINTLE_TRY(context_.check(vk.ResetCommandPool(context_.device(), pool_, 0), "vkResetCommandPool"));
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  VkCommandBufferInheritanceInfo inherited{};
  inherited.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (level_ == Level::replayed) {
    info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    info.pInheritanceInfo = &inherited;
  }
  return context_.check(vk.BeginCommandBuffer(commands_, &info), "vkBeginCommandBuffer");
}

Result<void> Slot::reserve_queries(std::uint32_t count) {
  query_ = 0;
  if (count == 0) return {};
  const DeviceFunctions& vk = context_.vk;
  if (count > query_capacity_) {
    if (queries_ != VK_NULL_HANDLE) vk.DestroyQueryPool(context_.device(), queries_, nullptr);
    queries_ = VK_NULL_HANDLE;
    query_capacity_ = 0;
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = std::bit_ceil(std::max(count, 16u));
    PINTLE_TRY(context_.check(vk.CreateQueryPool(context_.device(), &info, nullptr, &queries_), "vkCreateQueryPool"));
    query_capacity_ = info.queryCount;
  }
  vk.CmdResetQueryPool(commands_, queries_, 0, count);
  return {};
}

Result<void> Slot::add_sets() {
  constexpr std::uint32_t sets = 64;
  const std::array sizes{VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, std::max(sets * 4, most_buffers)},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, most_buffers + 1},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, most_bound},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, most_bound},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, most_bound},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, most_bound},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_SAMPLER, most_bound},
                         VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, most_bound}};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = sets;
  info.poolSizeCount = sizes.size();
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  sets_.reserve(sets_.size() + 1);
  PINTLE_TRY(context_.check(context_.vk.CreateDescriptorPool(context_.device(), &info, nullptr, &pool),
                            "vkCreateDescriptorPool"));
  sets_.push_back(pool);
  return {};
}

Result<VkDescriptorSet> Slot::allocate_set(VkDescriptorSetLayout layout) {
  while (true) {
    const bool is_new = open_sets_ == sets_.size();
    if (is_new) PINTLE_TRY(add_sets());
    const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, sets_[open_sets_],
                                           1, &layout};
    VkDescriptorSet set = VK_NULL_HANDLE;
    const VkResult answer = context_.vk.AllocateDescriptorSets(context_.device(), &info, &set);
    const bool is_full = answer == VK_ERROR_OUT_OF_POOL_MEMORY || answer == VK_ERROR_FRAGMENTED_POOL;
    if (is_full && !is_new) {
      ++open_sets_;
      continue;
    }
    PINTLE_TRY(context_.check(answer, "vkAllocateDescriptorSets"));
    return set;
  }
}

VkResult Slot::lay_out(VkCommandBuffer& commands) {
  commands = nullptr;
  std::erase_if(images, [](Image* image) { return !image->take_layout(); });
  if (images.empty()) return VK_SUCCESS;
  const VkResult answer = record_layout_changes();
  if (answer == VK_SUCCESS) commands = layout_changes_;
  else undo_lay_out();
  return answer;
}

VkResult Slot::record_layout_changes() {
  const DeviceFunctions& vk = context_.vk;
  VkResult answer = VK_SUCCESS;
  if (layout_changes_ == nullptr) {
    const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                          VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    answer = vk.AllocateCommandBuffers(context_.device(), &one, &layout_changes_);
  }
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (answer == VK_SUCCESS) answer = vk.BeginCommandBuffer(layout_changes_, &info);
  if (answer != VK_SUCCESS) return answer;
  std::vector<VkImageMemoryBarrier> changes;
  for (const Image* const image : images) changes.push_back(image->layout_change());
  vk.CmdPipelineBarrier(layout_changes_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                        nullptr, 0, nullptr, static_cast<std::uint32_t>(changes.size()), changes.data());
  return vk.EndCommandBuffer(layout_changes_);
}

void Slot::undo_lay_out() noexcept {
  for (Image* const image : images) image->give_layout_back();
}

void Slot::reset() noexcept {
  deliveries.clear();
  imports.clear();
  views.clear();
  images.clear();
  awaited.clear();
  staging.reset();
}

}  // namespace pintle::vulkan
