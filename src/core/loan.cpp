#include "core/loan.h"

#include <mutex>

#include "base/fork.h"
#include "core/incarnation.h"

namespace pintle::core {

Loan::~Loan() {
  if (base::in_forked_child()) return;
  if (!owner_->is_lost()) owner_->device().unmap(memory_);
  if (release_) release_();
}

}  // namespace pintle::core
