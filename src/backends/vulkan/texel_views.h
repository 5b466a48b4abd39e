// Parts of buffers as texels: VkBufferViews.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/vulkan/block.h"
#include "spirv/kernel_code.h"

namespace pintle::vulkan {

/// Bytes of a block as texels.
struct TexelRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  Texel texel = Texel::rgba8;
  friend bool operator==(const TexelRange&, const TexelRange&) = default;
};

class TexelView {
 public:
  [[nodiscard]] static Result<std::shared_ptr<TexelView>> create(Context& context, Block& block,
                                                                 const TexelRange& range);
  TexelView(const TexelView&) = delete;
  TexelView& operator=(const TexelView&) = delete;
  ~TexelView() { end(); }
  /// The buffer goes: nothing uses the view any more.
  void end() noexcept;

  [[nodiscard]] VkBufferView handle() const noexcept { return view_; }
  [[nodiscard]] const TexelRange& range() const noexcept { return range_; }

 private:
  TexelView(Context& context, const TexelRange& range) : context_(context), range_(range) {}

  Context& context_;
  const TexelRange range_;
  VkBufferView view_ = VK_NULL_HANDLE;
};

/// The views of one buffer: the last ones, and all that slots have. A recording may have a view longer than the buffer
/// lives, and is not replayed then. Thread-safe.
class TexelViews {
 public:
  ~TexelViews() { end(); }
  [[nodiscard]] Result<std::shared_ptr<TexelView>> find(Context& context, Block& block, const TexelRange& range);
  /// Before the block goes.
  void end() noexcept;

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<TexelView>> all_;  // the last use is the last
};

/// `invalid_argument` for a texel that the code does not take there, `unsupported` for one that the device does not
/// have in such a descriptor.
[[nodiscard]] Result<void> check_texels(const Context& context, const spirv::ImageType& type,
                                        spirv::DescriptorKind kind, Texel texel);

}  // namespace pintle::vulkan
