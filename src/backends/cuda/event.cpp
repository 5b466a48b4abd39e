#include "backends/cuda/event.h"

#include <memory>
#include <utility>

namespace pintle::cuda {

void EventCount::release(CountedEvent* event) noexcept {
  if (event->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) event->pool->give_back(event);
}

Result<Event> EventPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (free_ != nullptr) {
      CountedEvent* const event = std::exchange(free_, free_->next);
      event->uses.store(1, std::memory_order_relaxed);
      return Event(event);
    }
  }
  auto made = std::make_unique<CountedEvent>();
  made->pool = this;
  PINTLE_TRY(context_.call<&Calls::cuEventCreate>(&made->handle, flags_));
  return Event(made.release());
}

void EventPool::give_back(CountedEvent* event) noexcept {
  const std::lock_guard lock(mutex_);
  event->next = std::exchange(free_, event);
}

EventPool::~EventPool() {
  while (free_ != nullptr) {
    const std::unique_ptr<CountedEvent> gone(std::exchange(free_, free_->next));
    if (!context_.is_left()) static_cast<void>(context_.api().cuEventDestroy(gone->handle));
  }
}

Result<bool> EventRules::is_done(const Event& event) const {
  const Status status = context->api().cuEventQuery(event.get()->handle);
  if (status == Status::CUDA_SUCCESS || status == Status::CUDA_ERROR_NOT_READY) return status == Status::CUDA_SUCCESS;
  return context->platform().failure(
      status, "Work of a stream has failed.");  // the timeline loses the device, without its lock
}

}  // namespace pintle::cuda
