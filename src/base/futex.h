// Sleeping on a word of memory that threads and processes share.
#pragma once

#include <cstdint>

#include "pintle/deadline.h"

namespace pintle::base {

/// Sleeps while `*word` is `seen`: until `futex_wake` of the same memory, here or in another process, until `deadline`,
/// or until the system wakes it for no reason. The caller looks again.
void futex_wait(const std::uint32_t* word, std::uint32_t seen, Deadline deadline) noexcept;
/// Wakes all threads that sleep on `word`. The caller changes the word before.
void futex_wake(std::uint32_t* word) noexcept;

}  // namespace pintle::base
