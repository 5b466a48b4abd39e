#include "pintle/deadline.h"

#include "base/settings.h"
#include "pintle/default_timeout.h"

namespace pintle {

// The opening of a device reports a bad PINTLE_TIMEOUT_MS; a wait still needs a finite deadline.
Duration default_timeout() noexcept {
  const auto settings = base::settings();
  return settings ? (*settings)->timeout : base::Settings().timeout;
}

Deadline Timeout::deadline() const noexcept {
  return deadline_after(Clock::now(), kind_ == Kind::standard ? default_timeout() : duration_);
}

}  // namespace pintle
