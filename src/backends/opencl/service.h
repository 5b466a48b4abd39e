// A queue of the device's own, for work that belongs to no queue of the user's: it tries the device, its clock and its
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "pintle/deadline.h"

namespace pintle::opencl {

/// How far an event has come: true when its work is done, an error when it has failed.
[[nodiscard]] Result<bool> is_done(const Event& event);
/// When the work of a finished event has ended, on the device's profiling clock.
[[nodiscard]] Result<std::uint64_t> end_of(const Event& event);
/// Flags of a queue that measures what the clock needs.
[[nodiscard]] inline cl_command_queue_properties queue_properties(ClockSource clock) noexcept {
  return clock == ClockSource::profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
}
/// A queue in order.
[[nodiscard]] Result<Owned<cl_command_queue>> create_queue(cl_context context, cl_device_id device,
                                                           cl_command_queue_properties properties);

/// Thread-safe; each call waits for its work, at most five seconds.
class Service {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Service>> create(cl_context context, const FoundDevice& found);

  /// Has the device write and read a few bytes.
  [[nodiscard]] Result<void> probe();
  /// Has the device take the memory now, rather than at first use.
  [[nodiscard]] Result<void> place(cl_mem memory);
  /// The device clock, at some moment of the call.
  [[nodiscard]] Result<std::uint64_t> now();
  /// Whether the host and the device each see what the other writes to `memory`, without mapping or copying; `host` is
  /// the host's address of it.
  [[nodiscard]] Result<bool> shares(cl_mem memory, std::byte* host);

 private:
  explicit Service(Owned<cl_command_queue> queue, Owned<cl_mem> scratch)
      : queue_(std::move(queue)), scratch_(std::move(scratch)) {}

  template <class Enqueue>
  [[nodiscard]] Result<Event> run(std::string_view call, Enqueue enqueue);
  [[nodiscard]] Result<void> fill(cl_mem memory, std::uint64_t word);
  [[nodiscard]] Result<std::uint64_t> read(cl_mem memory);

  std::mutex mutex_;
  const Owned<cl_command_queue> queue_;
  const Owned<cl_mem> scratch_;
  std::uint64_t word_ = 0x0123456789abcdef;
  std::uint64_t seen_ = 0;
};

}  // namespace pintle::opencl
