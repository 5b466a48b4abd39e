// Queues whose work runs only inside calls.
#include <utility>

#include "base/contain.h"
#include "core/queue/queue_state.h"

namespace pintle::core {

// The queues that a thread has yet to drive. This object is on the stack of the outermost drive, since a device may
// outlive the thread's own objects.
class Driving {
 public:
  Driving() noexcept { current = this; }
  Driving(const Driving&) = delete;
  Driving& operator=(const Driving&) = delete;
  ~Driving() { current = nullptr; }

  /// Adds a queue at the end, unless this thread or another one is about to drive it.
  void add(std::shared_ptr<QueueState> queue) noexcept {
    if (queue->is_to_be_driven_.exchange(true)) return;
    QueueState* const last = queue.get();
    (last_ != nullptr ? last_->next_driven_ : first_) = std::move(queue);
    last_ = last;
  }
  [[nodiscard]] std::shared_ptr<QueueState> take() noexcept {
    if (first_ == nullptr) return nullptr;
    auto next = std::move(first_);
    first_ = std::move(next->next_driven_);
    if (first_ == nullptr) last_ = nullptr;
    next->is_to_be_driven_ = false;
    return next;
  }

  static thread_local constinit Driving* current;

 private:
  std::shared_ptr<QueueState> first_;
  QueueState* last_ = nullptr;
};
thread_local constinit Driving* Driving::current = nullptr;

namespace {

// True when the backend has finished something, so there may be more.
bool run_once(QueueState& queue) noexcept {
  return base::contain_or(false, [&] { return queue.wait_rest(Deadline::max()).value_or(false); });
}

}  // namespace

void QueueState::drive_all() noexcept {
  auto queue = std::static_pointer_cast<QueueState>(shared_from_this());
  if (Driving::current != nullptr) return Driving::current->add(std::move(queue));
  Driving driving;
  for (; queue != nullptr; queue = driving.take()) {
    while (run_once(*queue)) {
    }
  }
}

}  // namespace pintle::core
