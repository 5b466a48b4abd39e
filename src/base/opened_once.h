// A table of a library's functions that is opened at first use and never closed: a driver may have threads of its own.
#pragma once

#include "base/immortal.h"
#include "base/made_once.h"
#include "pintle/error.h"

namespace pintle::base {

/// What `Table::open()` answers, once for the process. `out_of_memory` is not kept: the next caller tries again.
template <class Table>
[[nodiscard]] const Result<Table>& opened_once() noexcept {
  try {
    static const auto& table = *new Result<Table>(made_once(Table::open()));
    return table;
  } catch (...) {
    static const Immortal<Result<Table>> exhausted(Error(Errc::out_of_memory, {}));
    return exhausted.value;
  }
}

}  // namespace pintle::base
