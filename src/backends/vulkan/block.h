// A piece of device memory with one VkBuffer over all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "backends/vulkan/context.h"
#include "pintle/backend/driver.h"

namespace pintle::vulkan {

/// Where the memory of a block comes from.
struct BlockRequest {
  enum class Source : std::uint8_t {
    fresh,
    exportable,  ///< Fresh, and can be exported as a file descriptor.
    host,        ///< `host`, whose address and size are multiples of the device's alignment.
    fd,          ///< `fd`, which the driver owns once the block exists.
  };
  Source source = Source::fresh;
  std::uint64_t size = 0;
  Placement placement = Placement::device;
  std::uint32_t types = ~0u;  ///< Memory types that may be taken, a bit for each.
  std::byte* host = nullptr;
  int fd = -1;
};

class Block {
 public:
  /// Tries the memory types for the placement, best first.
  [[nodiscard]] static Result<std::unique_ptr<Block>> create(Context& context, const BlockRequest& request);
  /// Over a buffer that stays the caller's.
  [[nodiscard]] static std::unique_ptr<Block> wrap(Context& context, const VulkanMemory& given);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  [[nodiscard]] VkBuffer buffer() const noexcept { return buffer_; }
  /// A buffer over the same memory whose texels may be used so and not otherwise, as views of it need it.
  [[nodiscard]] Result<VkBuffer> texel_buffer(VkBufferUsageFlags usage);
  [[nodiscard]] VkDeviceMemory memory() const noexcept { return memory_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t heap() const noexcept { return heap_; }
  [[nodiscard]] std::uint32_t type() const noexcept { return type_; }
  /// Whether the memory is the caller's, and so counts against no heap here.
  [[nodiscard]] bool is_wrapped() const noexcept { return is_wrapped_; }
  /// Null where the host cannot see it.
  [[nodiscard]] std::byte* mapped() const noexcept { return mapped_; }
  /// 0 where kernels cannot use addresses.
  [[nodiscard]] VkDeviceAddress address() const noexcept { return address_; }

 private:
  Block(Context& context, std::uint64_t size, BlockRequest::Source source)
      : context_(context), size_(size), source_(source) {}
  [[nodiscard]] Result<void> create_buffer(VkBufferUsageFlags usage, VkBuffer& buffer);
  [[nodiscard]] Result<void> allocate(const BlockRequest& request);
  [[nodiscard]] VkResult try_type(const BlockRequest& request, std::uint64_t size, std::uint32_t type);
  [[nodiscard]] Result<void> bind(std::uint32_t type, std::byte* host);

  Context& context_;
  const std::uint64_t size_;
  const BlockRequest::Source source_;
  bool is_wrapped_ = false;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::uint32_t heap_ = 0;
  std::uint32_t type_ = 0;
  std::byte* mapped_ = nullptr;
  VkDeviceAddress address_ = 0;
  std::mutex mutex_;
  std::map<VkBufferUsageFlags, VkBuffer> texel_buffers_;  // of texels that cannot be used both ways
};

/// What the device asks of imported host memory: the whole pages around `bytes`.
[[nodiscard]] std::span<std::byte> pages_around(const Context& context, std::span<const std::byte> bytes) noexcept;

}  // namespace pintle::vulkan
