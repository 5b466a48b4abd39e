#include "core/time/worklist.h"

#include <utility>

#include "core/door/thread_context.h"

namespace pintle::core {

void Worklist::take(Worklist& other) noexcept {
  spent_.splice(spent_.end(), other.spent_);
  if (other.first_ == nullptr) return;
  (last_ != nullptr ? last_->next_ : first_) = std::exchange(other.first_, nullptr);
  last_ = std::exchange(other.last_, nullptr);
}

void Worklist::run_all() noexcept {
  ++others_wait;
  spent_.clear();
  while (first_ != nullptr) {
    Deferred& next = *first_;
    first_ = next.next_;
    if (first_ == nullptr) last_ = nullptr;
    const auto keeper = std::move(next.keeper_);
    next.is_listed_.store(false);  // before the object looks: a later change lists it again
    next.run_deferred(*this);
    spent_.clear();
  }
  --others_wait;
}

}  // namespace pintle::core
