#include "base/fork.h"

#include <atomic>

#include "base/platform.h"

namespace pintle::base {
namespace {

constinit std::atomic<bool> forked{false};

}  // namespace

void watch_forks() noexcept {
  static const bool installed = (call_in_forked_children([] { forked.store(true, std::memory_order_relaxed); }), true);
  static_cast<void>(installed);
}

bool in_forked_child() noexcept { return forked.load(std::memory_order_relaxed); }

Error forked_error() {
  return {Errc::unavailable,
          "This process is a fork of one that uses Pintle; a child must exec before it opens devices."};
}

}  // namespace pintle::base
