// Events, counted and used again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "backends/cuda/context.h"
#include "kit/event_timeline.h"

namespace pintle::cuda {

class EventPool;

/// A counted event; a default one is none. It goes back to its pool when nobody has it any more.
class Event {
 public:
  Event() noexcept = default;
  Event(const Event& other) noexcept : counted_(other.counted_) {
    if (counted_ != nullptr) counted_->uses.fetch_add(1, std::memory_order_relaxed);
  }
  Event(Event&& other) noexcept : counted_(std::exchange(other.counted_, nullptr)) {}
  Event& operator=(Event other) noexcept {
    std::swap(counted_, other.counted_);
    return *this;
  }
  ~Event();

  /// Null for none.
  [[nodiscard]] vendor::cuda::Event get() const noexcept { return counted_ == nullptr ? nullptr : counted_->handle; }

 private:
  friend class EventPool;
  struct Counted {
    vendor::cuda::Event handle = nullptr;
    EventPool* pool = nullptr;
    std::atomic<std::uint32_t> uses{1};
    Counted* next = nullptr;  // among the free
  };
  explicit Event(Counted* counted) noexcept : counted_(counted) {}

  Counted* counted_ = nullptr;
};

/// All events of a device. Outlives them. Thread-safe.
class EventPool {
 public:
  explicit EventPool(Context& context) noexcept : context_(context) {}
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool();

  [[nodiscard]] Result<Event> take();

 private:
  friend class Event;
  void give_back(Event::Counted* counted) noexcept;

  Context& context_;
  std::mutex mutex_;
  Event::Counted* free_ = nullptr;
};

/// Events of CUDA's, for a timeline. A callback of the driver takes 49 us, so the driver tells nobody.
struct EventRules {
  using Event = cuda::Event;
  Context* context;

  [[nodiscard]] Result<bool> is_done(const Event& event) const;
  [[nodiscard]] bool tell(const Event&, kit::EventTold) const noexcept { return false; }
  [[nodiscard]] Error lose(const Error& error) const { return context->lose(error); }
};

}  // namespace pintle::cuda
