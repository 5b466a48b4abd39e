// What every function that adds to a list does.
#pragma once

#include "capi/enter.h"
#include "capi/objects.h"

namespace pintle::capi {

/// The mistake that the list has, if any.
[[nodiscard]] inline Result<void> state_of(const CommandList& list) {
  if (list.error()) return *list.error();
  return {};
}

/// `body(list)` answers a Result<void>; a command that the list refuses is an error too.
template <class Body>
pintle_status with_list(pintle_list list, pintle_error* error, Body body) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(its, use(list));
    PINTLE_TRY(state_of(*its));
    PINTLE_TRY(body(*its));
    return state_of(*its);
  });
}

}  // namespace pintle::capi
