// A clock that goes on only where a test turns it.
#pragma once

#include "pintle/deadline.h"

namespace pintle::collective {

inline Deadline turned_moment = Clock::now();

[[nodiscard]] inline Deadline turned_clock() noexcept { return turned_moment; }
inline void turn_clock(Duration by) noexcept { turned_moment += by; }

}  // namespace pintle::collective
