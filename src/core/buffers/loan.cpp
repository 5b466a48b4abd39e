#include "core/buffers/loan.h"

#include <mutex>

#include "base/fork.h"
#include "core/device/incarnation.h"

namespace pintle::core {

Loan::~Loan() {
  if (base::in_forked_child()) return;
  if (bytes_ && !owner_->is_lost()) owner_->device().unmap(place_.memory);
  if (release_) release_();
}

Result<void> Loan::map() {
  if (bytes_) return {};
  PINTLE_ASSIGN(bytes, owner_->device().map(place_.memory));
  bytes_ = bytes.subspan(place_.offset, place_.size);
  return {};
}

}  // namespace pintle::core
