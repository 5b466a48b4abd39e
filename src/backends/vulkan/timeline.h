// A timeline semaphore.
#pragma once

#include <memory>

#include "backends/vulkan/context.h"
#include "pintle/deadline.h"

namespace pintle::vulkan {

/// Starts at 0, wherever its semaphore stood. Work of other queues may wait for a timeline, so it outlives their
/// submissions.
class Timeline {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Timeline>> create(Context& context);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  ~Timeline();

  [[nodiscard]] VkSemaphore semaphore() const noexcept { return from_.semaphore; }
  [[nodiscard]] std::uint64_t semaphore_value(std::uint64_t value) const noexcept { return from_.value + value; }
  [[nodiscard]] Result<std::uint64_t> value();
  /// `timeout` when the deadline passes first; the cause when the device is lost meanwhile.
  [[nodiscard]] Result<void> wait(std::uint64_t value, Deadline deadline);

 private:
  explicit Timeline(Context& context) noexcept : context_(context) {}

  Context& context_;
  SpareSemaphores::Spare from_;
};

}  // namespace pintle::vulkan
