#include "core/buffers/loan.h"

#include "base/fork.h"
#include "core/buffers/buffer_records.h"

namespace pintle::core {

Loan::~Loan() {
  if (base::in_forked_child()) return;
  Life& life = lender_->life();
  if (!bytes_.empty() && !life.is_lost()) life.device().unmap(place_.memory);
  use_.reset();
  lender_->end_loan();
}

// The backend counts maps, so the second of two simultaneous maps is undone.
Result<void> Loan::map() {
  {
    const std::lock_guard lock(mutex_);
    if (!bytes_.empty()) return {};
  }
  PINTLE_ASSIGN(bytes, lender_->life().device().map(place_.memory));
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = bytes_.empty();
    bytes_ = bytes.subspan(place_.offset, place_.size);
  }
  if (!is_first) lender_->life().device().unmap(place_.memory);
  return {};
}

}  // namespace pintle::core
