#include "backends/vulkan/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/vulkan/memory_types.h"

namespace pintle::vulkan {
namespace {

using Source = BlockRequest::Source;

VkExternalMemoryHandleTypeFlags handle_of(Source source) noexcept {
  switch (source) {
    case Source::host: return VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    case Source::exportable:
    case Source::fd: return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    default: return 0;
  }
}

/// The memory types under which the driver imports this host memory.
Result<std::uint32_t> types_of(Context& context, std::byte* host) {
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  const VkResult answer = context.vk.GetMemoryHostPointerPropertiesEXT(
      context.device(), VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, host, &properties);
  PINTLE_TRY(context.check(answer, "vkGetMemoryHostPointerPropertiesEXT"));
  return properties.memoryTypeBits;
}

}  // namespace

std::span<std::byte> pages_around(const Context& context, std::span<const std::byte> bytes) noexcept {
  const std::uint64_t page = context.physical().host_pointer_alignment;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size() + page - 1) / page * page;
  return {reinterpret_cast<std::byte*>(begin), end - begin};  // the driver takes void*, whether or not it writes
}

Result<std::unique_ptr<Block>> Block::create(Context& context, const BlockRequest& request) {
  std::unique_ptr<Block> block(new Block(context, request.size, request.source));
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                             context.physical().texel_usages.all();
  if (context.has_addresses()) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  PINTLE_TRY(block->create_buffer(usage, block->buffer_));
  PINTLE_TRY(block->allocate(request));
  return block;
}

std::unique_ptr<Block> Block::wrap(Context& context, const VulkanMemory& given) {
  std::unique_ptr<Block> block(new Block(context, given.offset + given.size, Source::fresh));
  block->buffer_ = reinterpret_cast<VkBuffer>(given.buffer);
  block->memory_ = reinterpret_cast<VkDeviceMemory>(given.memory);
  block->address_ = given.address == 0 ? 0 : given.address - given.offset;
  block->is_wrapped_ = true;
  return block;
}

Block::~Block() {
  if (is_wrapped_) return;
  const DeviceFunctions& vk = context_.vk;
  for (const auto& [usage, buffer] : texel_buffers_) vk.DestroyBuffer(context_.device(), buffer, nullptr);
  if (buffer_ != VK_NULL_HANDLE) vk.DestroyBuffer(context_.device(), buffer_, nullptr);
  if (memory_ != VK_NULL_HANDLE) vk.FreeMemory(context_.device(), memory_, nullptr);  // also unmaps
}

Result<void> Block::create_buffer(VkBufferUsageFlags usage, VkBuffer& buffer) {
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                            handle_of(source_)};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = external.handleTypes != 0 ? &external : nullptr;
  info.size = size_;
  info.usage = usage;
  const auto& families = context_.families();
  if (families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
    info.pQueueFamilyIndices = families.data();
  }
  return context_.check(context_.vk.CreateBuffer(context_.device(), &info, nullptr, &buffer), "vkCreateBuffer");
}

/// A view's texel must suit all that its buffer may be used for. A buffer with fewer usages takes the same memory
/// types.
Result<VkBuffer> Block::texel_buffer(VkBufferUsageFlags usage) {
  if (is_wrapped_)
    return Error(
        Errc::unsupported,
        fmt::format("An argument is a texel buffer in a VkBuffer of the caller's, and nothing tells [{}] whether "
                    "it was made for one.",
                    context_.id()));
  if (usage == context_.physical().texel_usages.all()) return buffer_;
  const std::lock_guard lock(mutex_);
  VkBuffer& buffer = texel_buffers_[usage];
  if (buffer != VK_NULL_HANDLE) return buffer;
  PINTLE_TRY(create_buffer(usage, buffer));
  const VkResult bound = context_.vk.BindBufferMemory(context_.device(), buffer, memory_, 0);
  if (bound == VK_SUCCESS) return buffer;
  context_.vk.DestroyBuffer(context_.device(), std::exchange(buffer, VK_NULL_HANDLE), nullptr);
  return context_.check(bound, "vkBindBufferMemory").error();
}

Result<void> Block::allocate(const BlockRequest& request) {
  VkMemoryRequirements needs{};
  context_.vk.GetBufferMemoryRequirements(context_.device(), buffer_, &needs);
  std::uint32_t types = needs.memoryTypeBits & request.types;
  if (request.source == Source::host) {
    PINTLE_ASSIGN(importable, types_of(context_, request.host));
    types &= importable;
  }
  const std::uint64_t size = request.source == Source::host ? size_ : std::max(needs.size, size_);
  std::optional<VkResult> answer;
  for (const std::uint32_t type : types_for(context_.physical().memory, request.placement, types)) {
    answer = try_type(request, size, type);
    if (answer == VK_SUCCESS) return bind(type, request.host);
    memory_ = VK_NULL_HANDLE;
  }
  if (answer) return context_.check(*answer, "vkAllocateMemory");
  return Error(Errc::out_of_memory, fmt::format("No memory type of [{}] takes ({}) bytes.", context_.id(), size));
}

VkResult Block::try_type(const BlockRequest& request, std::uint64_t size, std::uint32_t type) {
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, size, type};
  const auto link = [&](auto& part) {
    part.pNext = info.pNext;
    info.pNext = &part;
  };
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  if (context_.has_addresses()) link(flags);
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                      VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  if (request.source == Source::exportable) link(exported);
  VkImportMemoryHostPointerInfoEXT host{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, request.host};
  if (request.source == Source::host) link(host);
  VkImportMemoryFdInfoKHR file{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                               VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, request.fd};
  if (request.source == Source::fd) link(file);
  return context_.vk.AllocateMemory(context_.device(), &info, nullptr, &memory_);
}

Result<void> Block::bind(std::uint32_t type, std::byte* host) {
  const DeviceFunctions& vk = context_.vk;
  const VkDevice device = context_.device();
  type_ = type;
  heap_ = context_.physical().memory.memoryTypes[type].heapIndex;
  PINTLE_TRY(context_.check(vk.BindBufferMemory(device, buffer_, memory_, 0), "vkBindBufferMemory"));
  mapped_ = host;
  if (host == nullptr && is_mappable(context_.physical().memory, type)) {
    void* data = nullptr;
    PINTLE_TRY(context_.check(vk.MapMemory(device, memory_, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory"));
    mapped_ = static_cast<std::byte*>(data);
  }
  if (!context_.has_addresses()) return {};
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer_};
  address_ = vk.GetBufferDeviceAddress(device, &info);
  return {};
}

}  // namespace pintle::vulkan
