#include "backends/cuda/event.h"

namespace pintle::cuda {

Event::~Event() {
  if (counted_ != nullptr && counted_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1)
    counted_->pool->give_back(counted_);
}

Result<Event> EventPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (free_ != nullptr) {
      Event::Counted* const counted = std::exchange(free_, free_->next);
      counted->uses.store(1, std::memory_order_relaxed);
      return Event(counted);
    }
  }
  auto made = std::make_unique<Event::Counted>();
  made->pool = this;
  PINTLE_TRY(context_.check(
      with(context_, [&] { return context_.api().cuEventCreate(&made->handle, vendor::cuda::event_disable_timing); }),
      "cuEventCreate"));
  return Event(made.release());
}

void EventPool::give_back(Event::Counted* counted) noexcept {
  const std::lock_guard lock(mutex_);
  counted->next = std::exchange(free_, counted);
}

EventPool::~EventPool() {
  while (free_ != nullptr) {
    const std::unique_ptr<Event::Counted> gone(std::exchange(free_, free_->next));
    if (!context_.is_left()) static_cast<void>(context_.api().cuEventDestroy(gone->handle));
  }
}

Result<bool> EventRules::is_done(const Event& event) const {
  const Status status = context->api().cuEventQuery(event.get());
  if (status == Status::CUDA_SUCCESS || status == Status::CUDA_ERROR_NOT_READY) return status == Status::CUDA_SUCCESS;
  return context->platform().failure(
      status, "Work of a stream has failed.");  // the timeline loses the device, without its lock
}

}  // namespace pintle::cuda
