#include "backends/vulkan/texel_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/vulkan/texels.h"

namespace pintle::vulkan {
namespace {

constexpr std::size_t most_kept = 64;

}  // namespace

Result<std::shared_ptr<TexelView>> TexelView::create(Context& context, Block& block, const TexelRange& range) {
  std::shared_ptr<TexelView> view(new TexelView(context, range));
  PINTLE_ASSIGN(buffer, block.texel_buffer(context.physical().texel_usages[range.texel]));
  VkBufferViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = buffer;
  info.format = format_of(range.texel);
  info.offset = range.offset;
  info.range = range.size;
  PINTLE_TRY(
      context.check(context.vk.CreateBufferView(context.device(), &info, nullptr, &view->view_), "vkCreateBufferView"));
  return view;
}

void TexelView::end() noexcept {
  if (view_ != VK_NULL_HANDLE) context_.vk.DestroyBufferView(context_.device(), view_, nullptr);
  view_ = VK_NULL_HANDLE;
}

Result<std::shared_ptr<TexelView>> TexelViews::find(Context& context, Block& block, const TexelRange& range) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(all_, [&](const auto& view) { return view->range() == range; });
  if (found != all_.end()) {
    std::rotate(found, found + 1, all_.end());
    return all_.back();
  }
  if (all_.size() >= most_kept) {
    const auto unused = std::ranges::find_if(all_, [](const auto& view) { return view.use_count() == 1; });
    if (unused != all_.end()) all_.erase(unused);
  }
  PINTLE_ASSIGN(view, TexelView::create(context, block, range));
  return all_.emplace_back(std::move(view));
}

void TexelViews::end() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& view : all_) view->end();
  all_.clear();
}

Result<void> check_texels(const Context& context, const spirv::ImageType& type, spirv::DescriptorKind kind,
                          Texel texel) {
  if (!spirv::may_be(type, texel))
    return Error(Errc::invalid_argument,
                 fmt::format("An argument is a texel buffer of texel {}, and the kernel has {} there.", name(texel),
                             text_of(type)));
  const bool is_stored = kind == spirv::DescriptorKind::stored_texels;
  if (context.physical().texel_usages.has(texel, is_stored)) return {};
  return Error(Errc::unsupported,
               fmt::format("An argument is a texel buffer of texel {}, which [{}] does not have for {} texel buffers; "
                           "the kernel has one there.",
                           name(texel), context.id(), is_stored ? "storage" : "uniform"));
}

}  // namespace pintle::vulkan
