// What one vkQueueSubmit needs until it is finished; reused afterwards.
#pragma once

#include <memory>
#include <vector>

#include "backends/vulkan/images.h"
#include "backends/vulkan/staging.h"
#include "backends/vulkan/texel_views.h"
#include "backends/vulkan/timeline.h"
#include "kit/delivery.h"

namespace pintle::vulkan {

class Slot {
 public:
  enum class Level : std::uint8_t {
    submitted,
    replayed,  ///< Executed by other command buffers, any number of times.
  };
  [[nodiscard]] static Result<std::unique_ptr<Slot>> create(Context& context, StagingPool& pool, const Lane& lane,
                                                            Level level = Level::submitted);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot();

  /// Empties the slot and begins its command buffer.
  [[nodiscard]] Result<void> begin();
  /// Makes room for `count` timestamps. The command buffer resets their queries.
  [[nodiscard]] Result<void> reserve_queries(std::uint32_t count);
  [[nodiscard]] std::uint32_t next_query() noexcept { return query_++; }
  [[nodiscard]] Result<VkDescriptorSet> allocate_set(VkDescriptorSetLayout layout);
  /// Records the layout changes that no batch has made yet of `images`, which keeps these alone. `commands` is null
  /// where there are none.
  [[nodiscard]] VkResult lay_out(VkCommandBuffer& commands);
  /// The commands did not run.
  void undo_lay_out() noexcept;
  /// Copies what was downloaded to its target on the host. False where the device is being lost: then it touches
  /// nothing.
  [[nodiscard]] bool deliver() { return kit::deliver(deliveries, context_.host()); }
  /// Lets go of what only this use needed.
  void reset() noexcept;

  [[nodiscard]] VkCommandBuffer commands() const noexcept { return commands_; }
  [[nodiscard]] VkQueryPool queries() const noexcept { return queries_; }
  [[nodiscard]] const Lane& lane() const noexcept { return lane_; }

  Staging staging;
  std::vector<kit::Delivery> deliveries;
  std::vector<std::unique_ptr<Block>> imports;     // of host memory
  std::vector<std::shared_ptr<TexelView>> views;   // of texel buffers
  std::vector<Image*> images;                      // whose layout may have to be changed before
  std::vector<std::shared_ptr<Timeline>> awaited;  // timelines of other queues
  std::uint64_t value = 0;                         // the value of its queue's timeline at which it is finished

 private:
  Slot(Context& context, StagingPool& pool, const Lane& lane, Level level)
      : staging(pool), context_(context), lane_(lane), level_(level) {}
  [[nodiscard]] Result<void> add_sets();
  [[nodiscard]] VkResult record_layout_changes();

  Context& context_;
  const Lane& lane_;
  const Level level_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = nullptr;
  VkCommandBuffer layout_changes_ = nullptr;  // made at the first of them
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::uint32_t query_capacity_ = 0;
  std::uint32_t query_ = 0;
  std::vector<VkDescriptorPool> sets_;
  std::size_t open_sets_ = 0;  // pools before it are full
};

}  // namespace pintle::vulkan
