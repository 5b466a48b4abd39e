#include "backends/vulkan/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

#include "host/bytes.h"
#include "kit/accesses.h"
#include "kit/fill_period.h"
#include "kit/pieces.h"

namespace pintle::vulkan {
namespace {

using backend::Argument;

/// From so many bytes on the host's pages are used in place: fewer bytes are cheaper to copy than to import.
constexpr std::uint64_t least_import = 256 << 10;
constexpr std::uint64_t pattern_block = 256 << 10;
constexpr std::uint64_t word = 4;

VkPipelineStageFlags stages_of(const Lane& lane) noexcept {
  const bool computes = (lane.family.flags & VK_QUEUE_COMPUTE_BIT) != 0;
  return VK_PIPELINE_STAGE_TRANSFER_BIT | VkPipelineStageFlags{computes} * VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
}

std::uint32_t timestamps_in(const backend::Commands& list) noexcept {
  return static_cast<std::uint32_t>(std::ranges::count_if(list.commands, [](const backend::Command& command) {
    return std::holds_alternative<backend::Timestamp>(command.operation);
  }));
}

/// Whether the command is the same at each replay.
bool is_fixed(const backend::Command& command, const backend::Commands& list) {
  const bool is_plain = std::holds_alternative<backend::Copy>(command.operation) ||
                        std::holds_alternative<backend::CopyImage>(command.operation) ||
                        std::holds_alternative<backend::Fill>(command.operation) ||
                        std::holds_alternative<backend::Exec>(command.operation);
  bool has_slot = false;
  kit::for_each_range(command, list.arguments,
                      [&](const backend::Range& range, Access) { has_slot |= range.slot != backend::no_slot; });
  if (const auto* const exec = kit::exec_of(command))
    has_slot |= std::ranges::any_of(list.of(*exec), [](const auto& one) { return one.slot != backend::no_slot; });
  return is_plain && !has_slot;
}

}  // namespace

Recorder::Recorder(Context& context, Slot& slot) noexcept
    : context_(context), vk_(context.vk), slot_(slot), commands_(slot.commands()), stages_(stages_of(slot.lane())) {}

Recorder::Place Recorder::place_of(const backend::Range& range) noexcept {
  const Allocation& allocation = Allocations::at(range.memory);
  return {allocation.block->buffer(), allocation.offset + range.offset};
}

Image& Recorder::use(const backend::Range& range) {
  Image& image = *Allocations::at(range.memory).image;
  if (!image.is_laid_out()) slot_.images.push_back(&image);
  return image;
}

Result<void> Recorder::record(const backend::Commands& list) {
  PINTLE_TRY(slot_.reserve_queries(timestamps_in(list)));
  begin();
  PINTLE_TRY(record_commands(list));
  barrier(Order::before_all_behind);
  return {};
}

Result<void> Recorder::record_commands(const backend::Commands& list) {
  list_ = &list;
  for (const backend::Command& command : list.commands) {
    if (command.barrier_before) barrier(Order::after_all_before);
    PINTLE_TRY(std::visit(*this, command.operation));
  }
  return {};
}

Result<void> Recorder::record(const backend::Exec& exec, const backend::Commands& list) {
  list_ = &list;
  begin();
  PINTLE_TRY((*this)(exec));
  barrier(Order::before_all_behind);
  return {};
}

Result<std::unique_ptr<Recording>> Recorder::translate(const backend::Commands& list, Context& context,
                                                       StagingPool& staging) {
  if (!std::ranges::all_of(list.commands, [&](const auto& command) { return is_fixed(command, list); })) {
    return Error(Errc::unsupported,
                 "Only lists without slots, host memory, host calls and timestamps are translated once.");
  }
  auto recording = std::make_unique<Recording>();
  recording->list = list;
  PINTLE_ASSIGN(slot, Slot::create(context, staging, context.lane(QueueKind::compute), Slot::Level::replayed));
  recording->slot = std::move(slot);
  PINTLE_TRY(recording->slot->begin());
  PINTLE_TRY(Recorder(context, *recording->slot).record_commands(list));
  PINTLE_TRY(context.check(context.vk.EndCommandBuffer(recording->slot->commands()), "vkEndCommandBuffer"));
  return recording;
}

/// Needs a barrier only behind work of the user's: each command buffer of ours ends with a barrier for what is behind
/// it.
void Recorder::begin() {
  if (slot_.lane().is_shared.load()) barrier(Order::after_all_before);
}

/// Submission order alone orders no memory.
void Recorder::barrier(Order order) {
  const bool to_host = order == Order::before_all_behind;
  if (vk_.CmdPipelineBarrier2 != nullptr) {
    VkMemoryBarrier2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
    memory.srcStageMask = stages_;
    memory.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    memory.dstStageMask = stages_ | (to_host ? VK_PIPELINE_STAGE_2_HOST_BIT : 0);
    memory.dstAccessMask =
        VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT | (to_host ? VK_ACCESS_2_HOST_READ_BIT : 0);
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    vk_.CmdPipelineBarrier2(commands_, &info);
    return;
  }
  const VkPipelineStageFlags host = to_host ? VK_PIPELINE_STAGE_HOST_BIT : 0;
  const VkMemoryBarrier memory{
      VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | (to_host ? VkAccessFlags{VK_ACCESS_HOST_READ_BIT} : 0)};
  vk_.CmdPipelineBarrier(commands_, stages_, stages_ | host, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void Recorder::copy(const Place& to, const Place& from, std::uint64_t size) {
  for (std::uint64_t at = 0; at < size; at += kit::largest_piece) {
    const VkBufferCopy region{from.offset + at, to.offset + at, std::min(size - at, kit::largest_piece)};
    vk_.CmdCopyBuffer(commands_, from.buffer, to.buffer, 1, &region);
  }
}

Result<void> Recorder::operator()(const backend::Copy& copied) {
  if (copied.to.size != 0) copy(place_of(copied.to), place_of(copied.from), copied.to.size);
  return {};
}

/// A queue that only copies takes texels from multiples of a word alone: others go through staging, with the bytes
/// between their rows.
Result<void> Recorder::operator()(const backend::CopyImage& copied) {
  const Image& image = use(copied.is_to_image ? copied.to : copied.from);
  PINTLE_ASSIGN(region, region_of(*copied.transfer, image, slot_.lane().family));
  const std::uint64_t size = bytes_of(*copied.transfer);
  const Place buffer = place_of(copied.is_to_image ? copied.from : copied.to);
  Place texels = buffer;
  const bool is_staged = slot_.lane().family.only_copies() && buffer.offset % word != 0;
  if (is_staged) {
    PINTLE_ASSIGN(staged, slot_.staging.take(size, bytes_of(Texel::rgba32f)));
    texels = {staged.buffer, staged.offset};
    copy(texels, buffer, size);
    barrier(Order::after_all_before);
  }
  region.bufferOffset = texels.offset;
  constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
  if (copied.is_to_image) vk_.CmdCopyBufferToImage(commands_, texels.buffer, image.handle(), layout, 1, &region);
  else vk_.CmdCopyImageToBuffer(commands_, image.handle(), layout, texels.buffer, 1, &region);
  if (!is_staged || copied.is_to_image) return {};
  barrier(Order::after_all_before);
  copy(buffer, texels, size);
  return {};
}

/// The device fills whole words; the bytes before and behind those words, and patterns of eight bytes, are copied from
/// staging.
Result<void> Recorder::operator()(const backend::Fill& fill) {
  const Place to = place_of(fill.to);
  const std::uint64_t period = kit::period_of(fill);
  const std::uint64_t end = fill.to.size;
  if (period > word) return fill_staged(fill, to, 0, end);
  const std::uint64_t first = std::min(end, (word - to.offset % word) % word);
  const std::uint64_t last = first + (end - first) / word * word;
  if (last > first) {
    std::uint32_t value = 0;
    host::repeat(reinterpret_cast<std::byte*>(&value), word, fill);
    for (std::uint64_t at = first; at < last; at += kit::largest_piece)
      vk_.CmdFillBuffer(commands_, to.buffer, to.offset + at, std::min(last - at, kit::largest_piece), value);
  }
  PINTLE_TRY(fill_staged(fill, to, 0, first));
  return fill_staged(fill, to, last, end);
}

Result<void> Recorder::fill_staged(const backend::Fill& fill, const Place& to, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return {};
  const std::uint64_t staged = std::min(end - begin, pattern_block);
  PINTLE_ASSIGN(from, slot_.staging.take(staged, word));
  host::repeat(from.data, staged, fill);
  std::vector<VkBufferCopy> regions;
  for (std::uint64_t at = begin; at < end; at += staged)
    regions.push_back({from.offset, to.offset + at, std::min(staged, end - at)});
  vk_.CmdCopyBuffer(commands_, from.buffer, to.buffer, static_cast<std::uint32_t>(regions.size()), regions.data());
  return {};
}

/// Large host memory as the device sees it; empty where it has to be staged. A copy needs no alignment, so the range is
/// rounded to whole pages.
std::optional<Recorder::Place> Recorder::import(std::span<const std::byte> bytes) {
  if (context_.physical().host_pointer_alignment == 0 || bytes.size() < least_import) return std::nullopt;
  const std::span<std::byte> pages = pages_around(context_, bytes);
  auto block =
      Block::create(context_, {.source = BlockRequest::Source::host, .size = pages.size(), .host = pages.data()});
  if (!block) return std::nullopt;
  slot_.imports.push_back(*std::move(block));
  return Place{slot_.imports.back()->buffer(), static_cast<std::uint64_t>(bytes.data() - pages.data())};
}

Result<void> Recorder::operator()(const backend::Upload& upload) {
  const std::uint64_t size = upload.to.size;
  if (size == 0) return {};
  const Place to = place_of(upload.to);
  if (const auto pages = import({upload.from.data, size})) {
    copy(to, *pages, size);
    return {};
  }
  PINTLE_ASSIGN(staged, slot_.staging.take(size, word));
  if (!context_.host().enter()) return context_.loss();
  std::memcpy(staged.data, upload.from.data, size);
  context_.host().leave();
  copy(to, {staged.buffer, staged.offset}, size);
  return {};
}

Result<void> Recorder::operator()(const backend::Download& download) {
  const std::uint64_t size = download.from.size;
  if (size == 0) return {};
  const Place from = place_of(download.from);
  if (const auto pages = import({download.to.data, size})) {
    copy(*pages, from, size);
    return {};
  }
  PINTLE_ASSIGN(staged, slot_.staging.take(size, word));
  slot_.deliveries.push_back({download.to.data, staged.data, size});
  copy({staged.buffer, staged.offset}, from, size);
  return {};
}

Result<void> Recorder::operator()(const backend::Timestamp& timestamp) {
  const Place to = place_of(timestamp.to);
  const std::uint32_t query = slot_.next_query();
  vk_.CmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, slot_.queries(), query);
  vk_.CmdCopyQueryPoolResults(commands_, slot_.queries(), query, 1, to.buffer, to.offset, sizeof(std::uint64_t),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  return {};
}

Result<void> Recorder::operator()(const backend::Replay& replay) {
  const Recording& recording = Recordings::at(replay.recording);
  const backend::Commands* const outer = list_;
  bound_ = VK_NULL_HANDLE;
  if (slot_.lane().family.index != recording.slot->lane().family.index) {
    PINTLE_TRY(record_commands(recording.list));
  } else {
    for (Image* const image : recording.slot->images) {
      if (!image->is_laid_out()) slot_.images.push_back(image);
    }
    const VkCommandBuffer recorded = recording.slot->commands();
    vk_.CmdExecuteCommands(commands_, 1, &recorded);
  }
  list_ = outer;
  return {};
}

Result<void> Recorder::operator()(const backend::Exec& exec) {
  const Kernel& kernel = Programs::at(exec.program).kernel(exec.entry);
  if (bound_ != kernel.pipeline) {
    bound_ = kernel.pipeline;
    vk_.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, bound_);
  }
  PINTLE_TRY(bind_arguments(kernel, list_->of(exec)));
  vk_.CmdDispatch(commands_, exec.grid.x, exec.grid.y, exec.grid.z);
  return {};
}

/// The bytes of a range that its descriptor has. A kernel that accesses words has the last one whole; a uniform block
/// has the bytes that the shader gives it.
Result<VkDeviceSize> Recorder::descriptor_size(const spirv::DescriptorNeeds& needs, std::uint64_t size) {
  if (needs.least == 0) return size == 0 ? word : (size + needs.unit - 1) / needs.unit * needs.unit;
  if (size >= needs.least) return needs.least;
  return Error(Errc::invalid_argument,
               fmt::format("An argument has ({}) bytes, and the kernel's uniform block has ({}).", size, needs.least));
}

Result<void> Recorder::bind_buffer(const Kernel& kernel, Bound& bound, backend::Range range) {
  if (range.size == 0) range.offset = 0;  // a descriptor has at least one word
  const Place place = place_of(range);
  PINTLE_ASSIGN(size, descriptor_size(kernel.needs[bound.count], range.size));
  bound.buffers[bound.count] = {place.buffer, place.offset, size};
  if (kernel.has_images) bound.images[bound.count] = {};
  ++bound.count;
  return {};
}

/// The slot keeps the view until the device has read it.
Result<void> Recorder::bind_texels(const Kernel& kernel, Bound& bound, const Argument& argument) {
  Allocation& allocation = Allocations::at(argument.range.memory);
  const Texel texel = argument.texel();
  PINTLE_TRY(check_texels(context_, kernel.needs[bound.count].image, kernel.descriptors[bound.count].kind, texel));
  PINTLE_ASSIGN(view, allocation.views.find(context_, *allocation.block,
                                            {allocation.offset + argument.range.offset, argument.range.size, texel}));
  bound.views[bound.count] = view->handle();
  if (kernel.has_images) bound.images[bound.count] = {};
  ++bound.count;
  slot_.views.push_back(std::move(view));
  return {};
}

Result<void> Recorder::bind_arguments(const Kernel& kernel, std::span<const Argument> arguments) {
  Bound bound;
  std::array<std::byte, most_scalar_bytes> scalars;
  std::memset(scalars.data(), 0, kernel.scalar_bytes);
  std::size_t scalar = 0;
  for (const Argument& argument : arguments) {
    if (argument.kind == Argument::Kind::buffer) {
      PINTLE_TRY(bind_buffer(kernel, bound, argument.range));
    } else if (argument.kind == Argument::Kind::texel_buffer) {
      PINTLE_TRY(bind_texels(kernel, bound, argument));
    } else if (argument.is_image() || argument.kind == Argument::Kind::sampler) {
      const Image* const image = argument.is_image() ? &use(argument.range) : nullptr;
      bound.images[bound.count++] = {image, argument.kind == Argument::Kind::image ? nullptr : &argument};
    } else if (argument.kind != Argument::Kind::use) {
      const spirv::ScalarPlace& place = kernel.scalars[scalar++];
      const bool is_scalar = argument.kind == Argument::Kind::scalar;
      std::memcpy(scalars.data() + place.offset, is_scalar ? argument.scalar.bytes.data() : argument.value, place.size);
    }
  }
  if (kernel.has_images)
    PINTLE_TRY(describe_images(context_, kernel, std::span(bound.images).first(bound.count), bound.infos));
  if (kernel.scalar_source == spirv::ScalarSource::push) {
    vk_.CmdPushConstants(commands_, kernel.layout->pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel.scalar_bytes,
                         scalars.data());
  } else if (kernel.scalar_source == spirv::ScalarSource::uniform) {
    const auto alignment = context_.physical().properties.limits.minUniformBufferOffsetAlignment;
    PINTLE_ASSIGN(staged, slot_.staging.take(kernel.scalar_bytes, std::max<std::uint64_t>(alignment, 16)));
    std::memcpy(staged.data, scalars.data(), kernel.scalar_bytes);
    bound.buffers[bound.count++] = {staged.buffer, staged.offset, kernel.scalar_bytes};
  }
  return bound.count == 0 ? Result<void>() : bind(kernel, bound);
}

Result<void> Recorder::bind(const Kernel& kernel, const Bound& bound) {
  std::array<VkWriteDescriptorSet, most_bound + 1> writes;
  for (std::size_t index = 0; index < bound.count; ++index) {
    const bool is_scalars = index == kernel.descriptors.size();
    const spirv::Descriptor& place = is_scalars ? kernel.scalar_block : kernel.descriptors[index];
    writes[index] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                     nullptr,
                     VK_NULL_HANDLE,
                     place.binding,
                     place.element,
                     1,
                     type_of(place.kind),
                     is_scalars ? nullptr : &bound.infos[index],
                     &bound.buffers[index],
                     is_scalars ? nullptr : &bound.views[index]};  // the type says which is read
  }
  const auto used = std::span(writes).first(bound.count);
  if (!kernel.layout->is_pushed) return bind_sets(kernel, used);
  vk_.CmdPushDescriptorSetKHR(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout->pipeline,
                              kernel.layout->used[0], static_cast<std::uint32_t>(used.size()), used.data());
  return {};
}

Result<void> Recorder::bind_sets(const Kernel& kernel, std::span<VkWriteDescriptorSet> writes) {
  const Layout& layout = *kernel.layout;
  std::array<VkDescriptorSet, most_sets> sets;  // by number
  for (const std::uint32_t number : layout.used) {
    PINTLE_ASSIGN(set, slot_.allocate_set(layout.sets[number]));
    sets[number] = set;
  }
  for (std::size_t index = 0; index < writes.size(); ++index)
    writes[index].dstSet =
        sets[index < kernel.descriptors.size() ? kernel.descriptors[index].set : kernel.scalar_block.set];
  vk_.UpdateDescriptorSets(context_.device(), static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
  for (const std::uint32_t number : layout.used)
    vk_.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, number, 1, &sets[number], 0,
                              nullptr);
  return {};
}

}  // namespace pintle::vulkan
