// Whether one submission has failed while its device goes on.
#pragma once

#include <atomic>
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
  /// A device may set it to what is false while no submission of any queue has failed: nobody asks then. It becomes
  /// true before the serial of a failed submission is seen as reached, and lives as long as the device.
  const std::atomic<bool>* any_failed = nullptr;
};

/// Whether a device answers that question, and whether it is to be asked now.
class Verdicts {
 public:
  explicit Verdicts(backend::Device& device) {
    Verdict none;
    are_told_ = device.native(Verdict::native_type, 0, &none).has_value();
    any_failed_ = none.any_failed;
  }
  /// False while every submission that is seen as reached has succeeded.
  [[nodiscard]] bool may_be_told() const noexcept {
    return are_told_ && (any_failed_ == nullptr || any_failed_->load(std::memory_order_acquire));
  }

 private:
  bool are_told_ = false;
  const std::atomic<bool>* any_failed_ = nullptr;
};

}  // namespace pintle::kit
