// How much stack the calling thread has left.
#pragma once

#include <cstddef>

namespace pintle::base {

/// Bytes below the caller's frame; 0 where that is not known, or where the caller runs on another stack than the
/// thread's own. The first call of a thread asks the system. Later calls cost a few instructions.
[[nodiscard]] std::size_t stack_left() noexcept;
/// The stack size of a thread that is started without one.
[[nodiscard]] std::size_t usual_stack() noexcept;

}  // namespace pintle::base
