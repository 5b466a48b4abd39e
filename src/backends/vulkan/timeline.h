// A timeline semaphore.
#pragma once

#include <memory>

#include "backends/vulkan/context.h"
#include "pintle/deadline.h"

namespace pintle::vulkan {

/// Work of other queues may wait for it, so it is shared with their submissions. Starts at 0.
class Timeline {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Timeline>> create(Context& context);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  ~Timeline();

  [[nodiscard]] VkSemaphore semaphore() const noexcept { return semaphore_; }
  [[nodiscard]] Result<std::uint64_t> value();
  /// `timeout` when the deadline passes first; the cause when the device is lost meanwhile.
  [[nodiscard]] Result<void> wait(std::uint64_t value, Deadline deadline);

 private:
  explicit Timeline(Context& context) noexcept : context_(context) {}

  Context& context_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
};

}  // namespace pintle::vulkan
