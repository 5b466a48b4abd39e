// The queues that the core thread looks at in rounds.
#pragma once

#include <memory>
#include <utility>

#include "core/time/polled.h"

namespace pintle::core {

/// A list that queues join and leave in one step and without memory. The reactor's mutex guards it. Each pointer that
/// leaves the list is the caller's: it may be the last one of its queue, whose end is no work for a thread with a lock.
class Rounds {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

  /// Does nothing for a queue that is on the list.
  void add(std::shared_ptr<Polled>&& queue) noexcept {
    if (queue->is_on_rounds_) return;
    queue->is_on_rounds_ = true;
    if (first_ != nullptr) first_->previous_on_rounds_ = queue.get();
    queue->next_on_rounds_ = std::move(first_);
    first_ = std::move(queue);
  }

  /// Null where the list is empty.
  [[nodiscard]] std::shared_ptr<Polled> take() noexcept { return empty() ? nullptr : remove(*first_); }

  /// Null where the queue is not on the list.
  [[nodiscard]] std::shared_ptr<Polled> remove(Polled& queue) noexcept {
    if (!std::exchange(queue.is_on_rounds_, false)) return nullptr;
    Polled* const previous = std::exchange(queue.previous_on_rounds_, nullptr);
    std::shared_ptr<Polled>& place = previous != nullptr ? previous->next_on_rounds_ : first_;
    std::shared_ptr<Polled> removed = std::exchange(place, std::move(queue.next_on_rounds_));
    if (place != nullptr) place->previous_on_rounds_ = previous;
    return removed;
  }

 private:
  std::shared_ptr<Polled> first_;
};

}  // namespace pintle::core
