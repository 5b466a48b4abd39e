// A timeline semaphore.
#pragma once

#include <memory>

#include "backends/vulkan/context.h"
#include "host/spin_then_sleep.h"
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
  /// The work of a device in software needs the processor that a thread would look with.
  explicit Timeline(Context& context) noexcept
      : context_(context), waits_(context.physical().is_software() ? Duration::zero() : host::SpinThenSleep::most) {}
  [[nodiscard]] Result<void> sleep_until(std::uint64_t value, Deadline deadline);

  Context& context_;
  SpareSemaphores::Spare from_;
  host::SpinThenSleep waits_;
};

}  // namespace pintle::vulkan
