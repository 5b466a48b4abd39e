#include "core/life/turn.h"

namespace pintle::core {

void Turns::see_to_wanting(Worklist* worklist) noexcept {
  Worklist own;  // runs at the end of this function
  const std::lock_guard lock(wanting_mutex_);
  (worklist != nullptr ? *worklist : own).take(wanting_);
}

}  // namespace pintle::core
