#include "base/fork.h"

#include "base/platform.h"

namespace pintle::base {

void watch_forks() noexcept {
  static const bool installed = (call_in_forked_children([] { forked.store(true, std::memory_order_relaxed); }), true);
  static_cast<void>(installed);
}

Error forked_error() {
  return {Errc::unavailable,
          "This process is a fork of one that uses Pintle; a child must exec before it opens devices."};
}

}  // namespace pintle::base
