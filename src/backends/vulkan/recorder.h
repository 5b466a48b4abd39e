// Commands of the seam as commands of Vulkan.
#pragma once

#include <array>

#include "backends/vulkan/memory.h"
#include "backends/vulkan/program.h"
#include "backends/vulkan/recording.h"
#include "backends/vulkan/slot.h"

namespace pintle::vulkan {

/// Records into the command buffer of a slot.
class Recorder {
 public:
  Recorder(Context& context, Slot& slot) noexcept;

  /// Records the list between two barriers: one orders it after what is before, one shows it to the host. The list has
  /// no steps and no slots.
  [[nodiscard]] Result<void> record(const backend::Commands& list);
  /// Records the list without those two barriers, for a command buffer that is replayed.
  [[nodiscard]] Result<void> record_commands(const backend::Commands& list);
  /// One launch of the list, as it is given here.
  [[nodiscard]] Result<void> record(const backend::Exec& exec, const backend::Commands& list);
  /// A list that is translated once; `unsupported` for any with slots, host memory and steps.
  [[nodiscard]] static Result<std::unique_ptr<Recording>> translate(const backend::Commands& list, Context& context,
                                                                    StagingPool& staging);

  [[nodiscard]] Result<void> operator()(const backend::Copy& copy);
  [[nodiscard]] Result<void> operator()(const backend::CopyImage& copy);
  [[nodiscard]] Result<void> operator()(const backend::Fill& fill);
  [[nodiscard]] Result<void> operator()(const backend::Upload& upload);
  [[nodiscard]] Result<void> operator()(const backend::Download& download);
  [[nodiscard]] Result<void> operator()(const backend::Exec& exec);
  [[nodiscard]] Result<void> operator()(const backend::Timestamp& timestamp);
  [[nodiscard]] Result<void> operator()(const backend::Replay& replay);
  /// A list is cut at its steps before it comes here.
  template <class Other>
  [[nodiscard]] Result<void> operator()(const Other&) {
    return Error(Errc::internal, "A command that only the host can take is left in a list for the device.");
  }

 private:
  /// Bytes of a VkBuffer.
  struct Place {
    VkBuffer buffer = VK_NULL_HANDLE;
    std::uint64_t offset = 0;
  };
  enum class Order : std::uint8_t {
    after_all_before,
    before_all_behind,  ///< Also before the host looks.
  };

  /// What a launch binds, by descriptor: a buffer, texels, or an image or a sampler.
  struct Bound {
    std::array<VkDescriptorBufferInfo, most_bound + 1> buffers;
    std::array<VkDescriptorImageInfo, most_bound> infos;
    std::array<VkBufferView, most_bound> views;
    std::array<BoundImage, most_bound> images;
    std::size_t count = 0;
  };

  [[nodiscard]] static Place place_of(const backend::Range& range) noexcept;
  /// The image, from now on in its layout.
  [[nodiscard]] Image& use(const backend::Range& range);
  void begin();
  void barrier(Order order);
  void copy(const Place& to, const Place& from, std::uint64_t size);
  [[nodiscard]] Result<void> fill_staged(const backend::Fill& fill, const Place& to, std::uint64_t begin,
                                         std::uint64_t end);
  [[nodiscard]] std::optional<Place> import(std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> bind_arguments(const Kernel& kernel, std::span<const backend::Argument> arguments);
  [[nodiscard]] Result<void> bind_buffer(const Kernel& kernel, Bound& bound, backend::Range range);
  [[nodiscard]] Result<void> bind_texels(const Kernel& kernel, Bound& bound, const backend::Argument& argument);
  [[nodiscard]] Result<void> bind(const Kernel& kernel, const Bound& bound);
  [[nodiscard]] static Result<VkDeviceSize> descriptor_size(const spirv::DescriptorNeeds& needs, std::uint64_t size);
  [[nodiscard]] Result<void> bind_sets(const Kernel& kernel, std::span<VkWriteDescriptorSet> writes);

  Context& context_;
  const DeviceFunctions& vk_;
  Slot& slot_;
  const VkCommandBuffer commands_;
  const VkPipelineStageFlags stages_;
  const backend::Commands* list_ = nullptr;
  VkPipeline bound_ = VK_NULL_HANDLE;
};

}  // namespace pintle::vulkan
