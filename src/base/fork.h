// A child after fork has none of the parent's threads, so its calls are refused.
#pragma once

#include <atomic>

#include "pintle/error.h"

namespace pintle::base {

/// From now on a child of this process knows that it is one. Called before the first thread or device exists; a second
/// call is harmless.
void watch_forks() noexcept;
inline constinit std::atomic<bool> forked{false};  // `in_forked_child` reads it
/// True in a child that was forked after `watch_forks`. One relaxed load.
[[nodiscard]] inline bool in_forked_child() noexcept { return forked.load(std::memory_order_relaxed); }
/// `unavailable`: the error of all calls in such a child.
[[nodiscard]] Error forked_error();

}  // namespace pintle::base
