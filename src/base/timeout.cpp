#include "base/timeout.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "pintle/default_timeout.h"

namespace pintle::base {

Error not_a_number() { return {Errc::invalid_argument, "The timeout is not a number (NaN)."}; }

Error with_default(Error error, const Timeout& timeout, Deadline deadline) noexcept {
  if (error.code() != Errc::timeout || !timeout.is_default() || Clock::now() < deadline) return error;
  return contain_or(error, [&] {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const std::string words = fmt::format(
        "waiting until the default deadline ({} ms); a timeout in the call or PINTLE_TIMEOUT_MS sets another",
        Milliseconds(default_timeout()).count());
    const bool is_said = std::ranges::find(error.context(), words) != error.context().end();
    return is_said ? error : error.during(words);
  });
}

}  // namespace pintle::base
