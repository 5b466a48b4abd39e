// Objects that live until the process ends and are not on the heap.
#pragma once

#include <utility>

namespace pintle::base {

/// A value in place that is never destroyed: `static Immortal<T> only;`, for places where `new` might fail.
template <class T>
union Immortal {
  T value;

  template <class... Arguments>
  explicit Immortal(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}
  Immortal(const Immortal&) = delete;
  Immortal& operator=(const Immortal&) = delete;
  ~Immortal() {}  // NOLINT(modernize-use-equals-default): that would be deleted
};

}  // namespace pintle::base
