// Opening a device whose driver may keep the thread that opens it for as long as a kernel runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/contain.h"
#include "base/timeout.h"
#include "kit/deputy.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Runs `open`, which owns what it uses, on a thread of its own. `timeout` at the default deadline: the thread is then
/// left behind inside the driver, and closes what it opens later.
template <class Opened>
[[nodiscard]] Result<Opened> open_apart(const std::string& id, std::function<Result<Opened>()> open) {
  return base::bounded(Timeout(), [&](Deadline deadline) -> Result<Opened> {
    const auto opened = std::make_shared<std::optional<Result<Opened>>>();
    Deputy deputy(id);
    PINTLE_TRY(deputy.run(
        "opening a device", deadline,
        [opened, open = std::move(open)] { opened->emplace(base::contain("opening a device", open)); },
        [opened] { opened->reset(); }));
    return std::move(**opened);
  });
}

}  // namespace pintle::kit
