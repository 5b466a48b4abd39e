#include "pintle/deadline.h"

#include "base/settings.h"

namespace pintle {
namespace {

// The opening of a device reports a bad PINTLE_TIMEOUT_MS; a wait still needs a finite deadline.
Duration standard_timeout() noexcept {
  const auto settings = base::settings();
  return settings ? (*settings)->timeout : base::Settings().timeout;
}

}  // namespace

Deadline Timeout::deadline() const noexcept {
  return deadline_after(Clock::now(), kind_ == Kind::standard ? standard_timeout() : duration_);
}

}  // namespace pintle
