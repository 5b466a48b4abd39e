// What most functions do: they find the object of a handle and ask something of it.
#pragma once

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

}  // namespace pintle::capi
