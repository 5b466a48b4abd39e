// What most functions do: they find the object of a handle and ask something of it.
#pragma once

#include <cstddef>

#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"

namespace pintle::capi {

/// `body(object)` answers a Result<void>.
template <class Handle, class Body>
pintle_status with(Handle handle, pintle_error* error, Body body) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(handle));
    return body(*its);
  });
}

/// How many elements `all` has.
template <class All>
[[nodiscard]] Result<void> answer_count(const All& all, std::size_t* count) {
  PINTLE_TRY(given(count, "count"));
  *count = all.size();
  return {};
}

}  // namespace pintle::capi
