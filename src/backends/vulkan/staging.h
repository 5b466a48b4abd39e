// Host memory on its way to or from a device.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/vulkan/block.h"

namespace pintle::vulkan {

/// Blocks that the host and the device see, reused. Thread-safe.
class StagingPool {
 public:
  static constexpr std::uint64_t smallest = 256 << 10;  ///< Bytes of a block.

  explicit StagingPool(Context& context) : context_(context) {}
  /// A mapped block of at least `size` bytes.
  [[nodiscard]] Result<std::unique_ptr<Block>> take(std::uint64_t size);
  void give_back(std::unique_ptr<Block> block) noexcept;

 private:
  static constexpr std::uint64_t most_kept = 256 << 20;  // bytes that wait for their next use

  Context& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> free_;
  std::uint64_t kept_ = 0;
};

/// Bytes of a staging block.
struct Staged {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0;
  std::byte* data = nullptr;
};

/// What one submission has staged.
class Staging {
 public:
  explicit Staging(StagingPool& pool) noexcept : pool_(pool) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  [[nodiscard]] Result<Staged> take(std::uint64_t size, std::uint64_t alignment);
  /// Everything taken is free again. One small block stays for the next submission.
  void reset() noexcept;

 private:
  StagingPool& pool_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::uint64_t used_ = 0;  // of the last block
};

}  // namespace pintle::vulkan
