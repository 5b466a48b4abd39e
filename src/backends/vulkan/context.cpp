#include "backends/vulkan/context.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace pintle::vulkan {

Result<std::unique_ptr<Context>> Context::open(std::shared_ptr<const Instance> instance, Physical physical,
                                               std::string id) {
  std::unique_ptr<Context> context(new Context(std::move(instance), std::move(physical), std::move(id)));
  PINTLE_TRY(context->create_device());
  return context;
}

Result<std::unique_ptr<Context>> Context::wrap(std::shared_ptr<const Instance> instance, Physical physical,
                                               std::string id, const VulkanDevice& given) {
  std::unique_ptr<Context> context(new Context(std::move(instance), std::move(physical), std::move(id)));
  context->device_ = static_cast<VkDevice>(given.device);
  context->is_wrapped_ = true;
  const auto& made = *static_cast<const VkDeviceCreateInfo*>(given.create_info);
  for (const auto& queues : std::span(made.pQueueCreateInfos, made.queueCreateInfoCount)) {
    if (std::ranges::find(context->families_, queues.queueFamilyIndex) == context->families_.end())
      context->families_.push_back(queues.queueFamilyIndex);
  }
  PINTLE_TRY(context->load_functions());
  PINTLE_ASSIGN(lane, context->adopt({given.queue, given.queue_family}));
  context->compute_ = lane;
  return context;
}

Result<Lane*> Context::adopt(const VulkanQueue& given) {
  if (given.queue == nullptr) return Error(Errc::invalid_argument, "The VkQueue is null.");
  if (std::ranges::find(families_, given.family) == families_.end()) {
    return Error(Errc::invalid_argument,
                 fmt::format("Family ({}) of the VkQueue is none of those that buffers of [{}] are shared among ({}).",
                             given.family, id_, fmt::join(families_, ", ")));
  }
  const std::lock_guard lock(lanes_mutex_);
  const auto known = std::ranges::find(lanes_, static_cast<VkQueue>(given.queue), &Lane::queue);
  Lane& lane = known != lanes_.end()
                   ? *known
                   : lanes_.emplace_back(static_cast<VkQueue>(given.queue), physical_.families[given.family]);
  lane.is_shared.store(true);
  return &lane;
}

Result<void> Context::create_device() {
  families_.push_back(physical_.compute->index);
  if (physical_.copy) families_.push_back(physical_.copy->index);
  constexpr float priority = 1;
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const std::uint32_t family : families_)
    queues.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority});
  std::vector<const char*> extensions;
  for (const std::string& extension : physical_.extensions) extensions.push_back(extension.c_str());
  const InstanceFunctions& vk_instance = instance_->functions();
  const VkResult created =
      physical_.features.chained(physical_.version, physical_.extensions, [&](VkPhysicalDeviceFeatures2& features) {
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.pNext = &features;
        info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
        info.pQueueCreateInfos = queues.data();
        info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
        info.ppEnabledExtensionNames = extensions.data();
        return vk_instance.CreateDevice(physical_.handle, &info, nullptr, &device_);
      });
  if (created != VK_SUCCESS) {
    device_ = nullptr;
    return vendor::vulkan::error_of(created, "vkCreateDevice").with_device(id_, 0);
  }
  PINTLE_TRY(load_functions());
  const auto take = [&](const Family& family) {
    VkQueue queue = nullptr;
    vk.GetDeviceQueue(device_, family.index, 0, &queue);
    return &lanes_.emplace_back(queue, family);
  };
  compute_ = take(*physical_.compute);
  if (physical_.copy) copy_ = take(*physical_.copy);
  return {};
}

Result<void> Context::load_functions() {
  PINTLE_TRY(functions_.load(instance_->functions().GetDeviceProcAddr, device_));
  if (functions_.CmdPipelineBarrier2 == nullptr) functions_.CmdPipelineBarrier2 = functions_.CmdPipelineBarrier2KHR;
  if (physical_.features.version_1_3.synchronization2 != VK_TRUE) functions_.CmdPipelineBarrier2 = nullptr;
  return {};
}

void SpareSemaphores::reserve_one() {
  const std::lock_guard lock(mutex_);
  spares_.reserve(count_ + 1);
  ++count_;
}

std::optional<SpareSemaphores::Spare> SpareSemaphores::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (spares_.empty()) return std::nullopt;
  const Spare spare = spares_.back();
  spares_.pop_back();
  return spare;
}

void SpareSemaphores::give_back(Spare spare) noexcept {
  const std::lock_guard lock(mutex_);
  spares_.push_back(spare);
}

Context::~Context() {
  loss_->remove(*this);
  while (const auto spare = spare_semaphores_.take()) vk.DestroySemaphore(device_, spare->semaphore, nullptr);
  samplers_.destroy(vk, device_);
  if (device_ != nullptr && !is_wrapped_ && vk.DestroyDevice != nullptr) vk.DestroyDevice(device_, nullptr);
}

Result<void> Context::check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return alive();
  const Error error = vendor::vulkan::error_of(result, call).with_device(id_, 0);
  return error.code() == Errc::device_lost ? lose(error) : error;
}

Result<VkSampler> Context::sampler(const Sampler& wanted, Samplers::Border border) {
  VkSampler sampler = VK_NULL_HANDLE;
  PINTLE_TRY(check(samplers_.find(vk, device_, wanted, border, sampler), "vkCreateSampler"));
  return sampler;
}

Error Context::lose(const Error& error) {
  const std::string words = loss_->is_lost() ? std::string() : fault_words();
  return loss_->lose(words.empty() ? error : error.during("running work: " + words));
}

void Context::end_waits(const Error&) noexcept {
  host_.close();
  if (!loss_->is_given_up()) settle();
}

void Context::settle() noexcept {
  const std::lock_guard all(lanes_mutex_);
  for (Lane& lane : lanes_) {
    const std::lock_guard lock(lane.mutex);
    vk.QueueWaitIdle(lane.queue);
  }
}

std::string Context::fault_words() const {
  if (vk.GetDeviceFaultInfoEXT == nullptr || physical_.features.fault.deviceFault != VK_TRUE) return {};
  VkDeviceFaultCountsEXT counts{};
  counts.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT;
  VkDeviceFaultInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT;
  const VkResult told = vk.GetDeviceFaultInfoEXT(device_, &counts, &info);
  return told == VK_SUCCESS || told == VK_INCOMPLETE ? std::string(text_of(info.description)) : std::string();
}

}  // namespace pintle::vulkan
