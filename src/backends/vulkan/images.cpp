#include "backends/vulkan/images.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/vulkan/memory_types.h"
#include "backends/vulkan/texels.h"

namespace pintle::vulkan {
namespace {

using spirv::DescriptorKind;

template <class... Values>
Error error(Errc code, fmt::format_string<Values...> sentence, Values&&... values) {
  return {code, fmt::format(sentence, std::forward<Values>(values)...)};
}

const TexelSupport* support_of(const Context& context, Texel texel) noexcept {
  const auto& all = context.physical().texels;
  const auto found = std::ranges::find(all, texel, &TexelSupport::texel);
  return found == all.end() ? nullptr : &*found;
}

/// A kernel reads an image by a sampler or as storage; it writes storage.
VkImageUsageFlags usage_of(Access access, const TexelSupport* support) noexcept {
  VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (access != Access::write) usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if (support != nullptr && writes(support->access)) usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  return usage;
}

VkImageType type_of(const ImageExtent& extent) noexcept {
  return extent.depth == 0 ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_3D;
}

constexpr VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

Result<void> check_image(const Context& context, const spirv::KernelInterface& kernel, std::size_t index,
                         const Image& image) {
  const spirv::ImageType& type = kernel.needs[index].image;
  if (!spirv::may_be(type, image.texel()))
    return error(Errc::invalid_argument, "An argument is an image of texel {}, and the kernel has {} there.",
                 name(image.texel()), text_of(type));
  if (image.serves(kernel.descriptors[index].kind)) return {};
  return error(
      Errc::unsupported,
      "An argument is an image of texel {}, which kernels on [{}] read by sampled images alone, and the kernel "
      "has a storage image there.",
      name(image.texel()), context.id());
}

Result<void> check_sampler(const Context& context, const Image& image, const Sampler& sampler) {
  if (sampler.coordinates == Coordinates::texels && image.extent().depth != 0)
    return error(Errc::unsupported,
                 "A sampler's coordinates count texels, which [{}] does for images of two dimensions alone; the kernel "
                 "reads one of three with it.",
                 context.id());
  const TexelSupport* const support = support_of(context, image.texel());
  if (sampler.filter == Filter::nearest || (support != nullptr && support->is_filtered)) return {};
  return error(Errc::unsupported, "A sampler's filter is linear, and [{}] does not filter texel {}, which it reads.",
               context.id(), name(image.texel()));
}

bool fits(std::uint32_t first, std::uint32_t count, std::uint32_t side, std::uint32_t step) noexcept {
  if (step == 0) return first == 0 && count == side;
  return first % step == 0 && (count % step == 0 || first + count == side);
}

}  // namespace

Result<std::unique_ptr<Image>> Image::create(Context& context, const backend::ImageRequest& request,
                                             std::uint32_t types) {
  std::unique_ptr<Image> image(new Image(context, request));
  PINTLE_TRY(image->create_image());
  PINTLE_TRY(image->allocate(types));
  PINTLE_TRY(image->create_view());
  return image;
}

Image::~Image() {
  const DeviceFunctions& vk = context_.vk;
  if (view_ != VK_NULL_HANDLE) vk.DestroyImageView(context_.device(), view_, nullptr);
  if (image_ != VK_NULL_HANDLE) vk.DestroyImage(context_.device(), image_, nullptr);
  if (memory_ != VK_NULL_HANDLE) vk.FreeMemory(context_.device(), memory_, nullptr);
}

Result<void> Image::create_image() {
  const auto& [width, height, depth] = request_.extent;
  usage_ = usage_of(request_.access, support_of(context_, request_.texel));
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = type_of(request_.extent);
  info.format = format_of(request_.texel);
  info.extent = {width, height, request_.extent.slices()};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage_;
  const auto& families = context_.families();
  if (families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
    info.pQueueFamilyIndices = families.data();
  }
  VkImageFormatProperties most{};
  const VkResult has = context_.instance().functions().GetPhysicalDeviceImageFormatProperties(
      context_.physical().handle, info.format, info.imageType, info.tiling, info.usage, info.flags, &most);
  if (has == VK_ERROR_FORMAT_NOT_SUPPORTED)
    return error(Errc::unsupported, "[{}] has no images of texel {} and ({}) dimensions.", context_.id(),
                 name(request_.texel), request_.extent.dimensions());
  PINTLE_TRY(context_.check(has, "vkGetPhysicalDeviceImageFormatProperties"));
  return context_.check(context_.vk.CreateImage(context_.device(), &info, nullptr, &image_), "vkCreateImage");
}

Result<void> Image::allocate(std::uint32_t types) {
  VkMemoryRequirements needs{};
  context_.vk.GetImageMemoryRequirements(context_.device(), image_, &needs);
  size_ = needs.size;
  const VkPhysicalDeviceMemoryProperties& memory = context_.physical().memory;
  VkMemoryDedicatedAllocateInfo own{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, image_, VK_NULL_HANDLE};
  VkResult answer = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (const std::uint32_t type : types_for(memory, Placement::device, needs.memoryTypeBits & types)) {
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &own, size_, type};
    answer = context_.vk.AllocateMemory(context_.device(), &info, nullptr, &memory_);
    heap_ = memory.memoryTypes[type].heapIndex;
    if (answer == VK_SUCCESS) break;
    memory_ = VK_NULL_HANDLE;
  }
  PINTLE_TRY(context_.check(answer, "vkAllocateMemory"));
  return context_.check(context_.vk.BindImageMemory(context_.device(), image_, memory_, 0), "vkBindImageMemory");
}

Result<void> Image::create_view() {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image_;
  info.viewType = request_.extent.depth == 0 ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_3D;
  info.format = format_of(request_.texel);
  info.subresourceRange = whole;
  return context_.check(context_.vk.CreateImageView(context_.device(), &info, nullptr, &view_), "vkCreateImageView");
}

bool Image::serves(DescriptorKind kind) const noexcept {
  const bool is_stored = kind == DescriptorKind::storage_image;
  return (usage_ & (is_stored ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT)) != 0;
}

/// Nothing used the image before, so there is nothing to wait for.
VkImageMemoryBarrier Image::layout_change() const noexcept {
  VkImageMemoryBarrier change{};
  change.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  change.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  change.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  change.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  change.srcQueueFamilyIndex = change.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  change.image = image_;
  change.subresourceRange = whole;
  return change;
}

Result<void> describe_images(Context& context, const spirv::KernelInterface& kernel, std::span<const BoundImage> bound,
                             std::span<VkDescriptorImageInfo> infos) {
  for (std::size_t index = 0; index < bound.size(); ++index) {
    const Image* const image = bound[index].image;
    infos[index] = {VK_NULL_HANDLE, image != nullptr ? image->view() : VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
    if (image != nullptr) PINTLE_TRY(check_image(context, kernel, index, *image));
  }
  for (std::size_t index = 0; index < bound.size(); ++index) {
    if (bound[index].sampler == nullptr) continue;
    auto border = Samplers::Border::floats;
    for (const auto& [image, sampler] : kernel.sampled) {
      if (sampler != index) continue;
      PINTLE_TRY(check_sampler(context, *bound[image].image, bound[index].sampler->sampler()));
      if (is_integer(bound[image].image->texel())) border = Samplers::Border::integers;
    }
    PINTLE_ASSIGN(native, context.sampler(bound[index].sampler->sampler(), border));
    infos[index].sampler = native;
  }
  return {};
}

Result<VkBufferImageCopy> region_of(const backend::ImageTransfer& transfer, const Image& image, const Family& family) {
  constexpr std::uint64_t most_row = 0x7fffffff;
  const auto& [x, y, z, extent, row_bytes, slice_bytes] = transfer.part;
  const auto [step_x, step_y, step_z] = family.granularity;
  const bool has_rows = extent.height > 1 || extent.slices() > 1, has_slices = extent.slices() > 1;
  const std::uint64_t rows = has_slices ? slice_bytes / row_bytes : 0;
  if ((has_rows && row_bytes > most_row) || rows > most_row)
    return error(Errc::unsupported,
                 "Rows of texels are ({}) bytes and slices ({}) rows apart, and Vulkan counts to ({}).", row_bytes,
                 rows, most_row);
  if (!fits(x, extent.width, image.extent().width, step_x) || !fits(y, extent.height, image.extent().height, step_y) ||
      !fits(z, extent.slices(), image.extent().slices(), step_z))
    return error(
        Errc::unsupported,
        "A part of an image begins or ends at no multiple of ({}, {}, {}) texels, as queues that only copy need "
        "it; zeros stand for whole images.",
        step_x, step_y, step_z);
  VkBufferImageCopy region{};
  if (has_rows) region.bufferRowLength = static_cast<std::uint32_t>(row_bytes / bytes_of(transfer.texel));
  region.bufferImageHeight = static_cast<std::uint32_t>(rows);
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageOffset = {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), static_cast<std::int32_t>(z)};
  region.imageExtent = {extent.width, extent.height, extent.slices()};
  return region;
}

}  // namespace pintle::vulkan
