// Raising a signal of a symmetric heap, from any thread.
#pragma once

#include <cstdint>

#include "collective/heap/heap_state.h"
#include "pintle/error.h"

namespace pintle::collective {

/// Raises the word to `value`, unless it is that high already, and wakes its rank. Comes after everything that this
/// thread has put there before.
Result<void> raise(HeapState& heap, const Place& word, std::uint64_t value);

}  // namespace pintle::collective
