// A tiny piece of work that tells whether a device is healthy.
#pragma once

#include <chrono>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Runs `work` on a queue of its own. One that does not end is left to the device, with its queue.
[[nodiscard]] inline Result<void> probe(backend::Device& device, const backend::Commands& work) {
  constexpr auto patience = std::chrono::seconds(4);
  PINTLE_ASSIGN(queue, device.create_queue({QueueKind::compute, 0, "probe"}));
  const auto submitted = device.submit(queue, {}, work);
  const auto done =
      submitted ? device.wait(queue, *submitted, Clock::now() + patience) : Result<void>(submitted.error());
  if (done) device.destroy_queue(queue);
  return done;
}

}  // namespace pintle::kit
