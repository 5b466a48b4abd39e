#include "core/time/worklist.h"

#include <utility>

namespace pintle::core {

void Worklist::run_all() noexcept {
  spent_.clear();
  while (first_ != nullptr) {
    Deferred& next = *first_;
    first_ = next.next_;
    if (first_ == nullptr) last_ = nullptr;
    const auto keeper = std::move(next.keeper_);
    next.is_listed_.store(false);  // before it looks: what is added from now on is listed again
    next.run_deferred(*this);
    spent_.clear();
  }
}

}  // namespace pintle::core
