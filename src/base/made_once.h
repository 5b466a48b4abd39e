// Answers that are found once, and that must not depend on memory running out.
#pragma once

#include <new>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// Passes on an answer that the caller will keep. Where memory ran out it throws instead, so that the next caller tries
/// again.
template <class T>
[[nodiscard]] Result<T> made_once(Result<T> made) {
  if (!made && made.error().code() == Errc::out_of_memory) throw std::bad_alloc();
  return made;
}

}  // namespace pintle::base
