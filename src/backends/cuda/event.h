// Events, counted and used again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "backends/cuda/context.h"
#include "kit/counted.h"
#include "kit/event_timeline.h"

namespace pintle::cuda {

class EventPool;

struct CountedEvent {
  vendor::cuda::Event handle = nullptr;
  EventPool* pool = nullptr;
  std::atomic<std::uint32_t> uses{1};
  CountedEvent* next = nullptr;  ///< Among those of the pool that nobody has.
};
struct EventCount {
  static void retain(CountedEvent* event) noexcept { event->uses.fetch_add(1, std::memory_order_relaxed); }
  /// It goes back to its pool when nobody has it any more.
  static void release(CountedEvent* event) noexcept;
};
using Event = kit::Counted<CountedEvent*, EventCount>;

/// All events of a device that have the flags. Outlives them. Thread-safe.
class EventPool {
 public:
  EventPool(Context& context, unsigned flags) noexcept : context_(context), flags_(flags) {}
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool();

  [[nodiscard]] Result<Event> take();

 private:
  friend struct EventCount;
  void give_back(CountedEvent* event) noexcept;

  Context& context_;
  const unsigned flags_;
  std::mutex mutex_;
  CountedEvent* free_ = nullptr;
};

/// Events of CUDA's, for a timeline. A callback of the driver takes 49 us, so the driver tells nobody. A round trip
/// takes about 10 us, and a thread that sleeps is woken later than that.
struct EventRules {
  using Event = cuda::Event;
  static constexpr Duration awake = std::chrono::microseconds(50);
  Context* context;

  [[nodiscard]] Result<bool> is_done(const Event& event) const;
  [[nodiscard]] bool tell(const Event&, kit::EventTold) const noexcept { return false; }
  [[nodiscard]] Error lose(const Error& error) const { return context->lose(error); }
};

}  // namespace pintle::cuda
