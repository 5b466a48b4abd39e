// Whether one submission has failed while its device goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

/// What core asks by `native` with this type, for each submission that it finds reached, of a device that answers the
/// question for no queue. `error` is told once. The call takes no lock under which the device calls anything.
struct Verdict {
  static constexpr std::string_view native_type = "pintle.verdict";
  backend::QueueId queue = backend::QueueId::none;
  std::uint64_t serial = 0;
  std::optional<Error> error{};
};

/// Whether the device answers that question.
[[nodiscard]] inline bool tells_verdicts(backend::Device& device) {
  Verdict none;
  return device.native(Verdict::native_type, 0, &none).has_value();
}

}  // namespace pintle::kit
