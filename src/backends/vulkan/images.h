// Images: each has memory of its own.
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "backends/vulkan/context.h"
#include "pintle/backend/driver.h"
#include "spirv/kernel_code.h"

namespace pintle::vulkan {

/// Used in VK_IMAGE_LAYOUT_GENERAL alone. The first batch with a use of it changes it to that layout: a list does not
/// know whether it is the first one that runs.
class Image {
 public:
  /// `types`: memory types that may be taken, a bit for each.
  [[nodiscard]] static Result<std::unique_ptr<Image>> create(Context& context, const backend::ImageRequest& request,
                                                             std::uint32_t types);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();

  [[nodiscard]] VkImage handle() const noexcept { return image_; }
  [[nodiscard]] VkImageView view() const noexcept { return view_; }
  [[nodiscard]] const ImageExtent& extent() const noexcept { return request_.extent; }
  [[nodiscard]] Texel texel() const noexcept { return request_.texel; }
  [[nodiscard]] std::uint32_t heap() const noexcept { return heap_; }
  /// Bytes of its memory.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Whether kernels may use it as that kind of descriptor.
  [[nodiscard]] bool serves(spirv::DescriptorKind kind) const noexcept;

  [[nodiscard]] bool is_laid_out() const noexcept { return is_laid_out_.load(std::memory_order_acquire); }
  /// True once: the caller changes the layout, before anything else.
  [[nodiscard]] bool take_layout() noexcept { return !is_laid_out_.exchange(true, std::memory_order_acq_rel); }
  /// The caller could not.
  void give_layout_back() noexcept { is_laid_out_.store(false, std::memory_order_release); }
  [[nodiscard]] VkImageMemoryBarrier layout_change() const noexcept;

 private:
  Image(Context& context, const backend::ImageRequest& request) : context_(context), request_(request) {}
  [[nodiscard]] Result<void> create_image();
  [[nodiscard]] Result<void> allocate(std::uint32_t types);
  [[nodiscard]] Result<void> create_view();

  Context& context_;
  const backend::ImageRequest request_;
  VkImageUsageFlags usage_ = 0;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  std::uint32_t heap_ = 0;
  std::uint64_t size_ = 0;
  std::atomic<bool> is_laid_out_{false};
};

/// An argument of a launch: an image, one that has a sampler, or both; a buffer has neither.
struct BoundImage {
  const Image* image;
  const backend::Argument* sampler;
};

/// Fills in what descriptors of images and samplers take. `bound` and `infos` are by descriptor.
/// `invalid_argument` for an image that the code does not take and a sampler that does not suit an image that it reads,
/// with both.
[[nodiscard]] Result<void> describe_images(Context& context, const spirv::KernelInterface& kernel,
                                           std::span<const BoundImage> bound, std::span<VkDescriptorImageInfo> infos);

/// The region of a copy, but for where its texels begin in the buffer. `unsupported` for rows further apart than Vulkan
/// counts, and for parts that the queue family cannot copy.
[[nodiscard]] Result<VkBufferImageCopy> region_of(const backend::ImageTransfer& transfer, const Image& image,
                                                  const Family& family);

}  // namespace pintle::vulkan
