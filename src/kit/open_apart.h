// Opening a device whose driver may keep the thread that opens it for as long as a kernel runs.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/timeout.h"
#include "kit/deputy.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Runs `open`, which owns what it uses, on a thread of its own. `timeout` at the default deadline: the thread is then
/// left behind inside the driver, and closes what it opens later.
template <class Opened>
[[nodiscard]] Result<Opened> open_apart(const std::string& id, std::function<Result<Opened>()> open) {
  return base::bounded(Timeout(), [&](Deadline deadline) {
    Deputy deputy(id);
    return ask(deputy, "opening a device", deadline, std::move(open), [](Opened) {});  // it ends there
  });
}

}  // namespace pintle::kit
