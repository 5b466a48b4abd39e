#include "core/buffers/loan.h"

#include "base/fork.h"
#include "core/time/signal_state.h"

namespace pintle::core {

Loan::~Loan() {
  if (base::in_forked_child()) return;
  if (!bytes_.empty() && !life_.is_lost()) life_.device().unmap(place_.memory);
  lender_->end_loan();
}

// Maps are counted, so that the second of two at once is one too many.
Result<void> Loan::map() {
  {
    const std::lock_guard lock(mutex_);
    if (!bytes_.empty()) return {};
  }
  PINTLE_ASSIGN(bytes, life_.device().map(place_.memory));
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = bytes_.empty();
    bytes_ = bytes.subspan(place_.offset, place_.size);
  }
  if (!is_first) life_.device().unmap(place_.memory);
  return {};
}

void Loan::add_copy(Point copy) {
  const std::lock_guard lock(mutex_);
  std::erase_if(copies_, [](const Point& point) {
    return peek(point)->timeline().status(point.value()) != PointStatus::pending;
  });
  copies_.push_back(std::move(copy));
}

std::vector<Point> Loan::copies() const {
  const std::lock_guard lock(mutex_);
  return copies_;
}

}  // namespace pintle::core
