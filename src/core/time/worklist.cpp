#include "core/time/worklist.h"

#include <utility>

#include "core/door/thread_context.h"

namespace pintle::core {

void Worklist::take(Worklist& other) noexcept {
  append(std::exchange(other.first_buried_, nullptr), std::exchange(other.last_buried_, nullptr));
  if (other.first_ == nullptr) return;
  (last_ != nullptr ? last_->next_ : first_) = std::exchange(other.first_, nullptr);
  last_ = std::exchange(other.last_, nullptr);
}

// What is buried goes first, also what the next one that is run buries.
void Worklist::run_all() noexcept {
  ++others_wait;
  while (!empty()) {
    if (first_buried_ != nullptr) {
      Buried& next = *std::exchange(first_buried_, first_buried_->next_);
      if (first_buried_ == nullptr) last_buried_ = nullptr;
      next.let_go();
      continue;
    }
    Deferred& next = *first_;
    first_ = next.next_;
    if (first_ == nullptr) last_ = nullptr;
    const auto keeper = std::move(next.keeper_);
    next.is_listed_.store(false);  // before the object looks: a later change lists it again
    next.run_deferred(*this);
  }
  --others_wait;
}

}  // namespace pintle::core
