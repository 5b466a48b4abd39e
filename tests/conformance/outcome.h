// How one case ended on one device.
#pragma once

#include <string>
#include <string_view>

namespace pintle::conformance {

enum class Outcome : unsigned char {
  passed,
  failed,
  skipped,  ///< Not counted as passed; the message has the reason.
  gap,      ///< Fails as gaps/<backend>.txt says, and its probe shows the refusal.
};
[[nodiscard]] std::string_view name(Outcome outcome) noexcept;

struct ConformRow {
  std::string name;  ///< "Signal.WaitSubmittedBeforeSignalIsHonoured"
  Outcome result = Outcome::failed;
  std::string message;  ///< Why it failed or was skipped; empty when it passed.
};

}  // namespace pintle::conformance
