// The device's clock: events whose times the driver tells, one from another.
#pragma once

#include <cstdint>
#include <mutex>

#include "backends/cuda/event.h"
#include "pintle/backend/driver.h"

namespace pintle::cuda {

/// Nanoseconds, which begin where the host's steady clock stands at the first reading. Thread-safe.
///
/// The driver tells the milliseconds between two events as a float, whose steps grow with the time. So an event that is
/// a second or more behind the one that the times are counted from takes its place. Each such event brings an error of
/// 30 ns, and 60 ns for each second in which nobody has read the clock.
class DeviceClock {
 public:
  explicit DeviceClock(Context& context) noexcept : context_(context), events_(context, vendor::cuda::event_default) {}
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;
  ~DeviceClock();

  /// An event to be recorded, of any stream of the device's.
  [[nodiscard]] Result<Event> take_event() { return events_.take(); }
  /// When the device came to it; it is done.
  [[nodiscard]] Result<std::uint64_t> ticks_of(const Event& event);
  /// An event on a stream of its own, between two readings of the host's clock.
  [[nodiscard]] Result<backend::ClockPair> calibrate();

 private:
  Context& context_;
  EventPool events_;
  std::mutex mutex_;
  vendor::cuda::Stream stream_ = nullptr;
  Event base_;  // that the times are counted from
  std::uint64_t base_ticks_ = 0;
};

/// A timestamp whose event is in the stream, and whose time the host writes.
struct Stamp {
  Event event;
  DevicePointer to = 0;
};

}  // namespace pintle::cuda
