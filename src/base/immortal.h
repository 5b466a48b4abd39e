// What lives until the process ends, without memory of the heap.
#pragma once

#include <utility>

namespace pintle::base {

/// A value in place that nobody destroys: `static Immortal<T> only;`, where `new` might fail.
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
