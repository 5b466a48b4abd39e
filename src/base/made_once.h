// What memory that runs out must not decide.
#pragma once

#include <new>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// For what is found out, and kept or told as it is: where memory ran out it throws, so that the next caller tries
/// again.
template <class T>
[[nodiscard]] Result<T> made_once(Result<T> made) {
  if (!made && made.error().code() == Errc::out_of_memory) throw std::bad_alloc();
  return made;
}

}  // namespace pintle::base
