// A cpu device of which one call hangs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hanging/gate.h"
#include "unit/cpu_support.h"
#include "unit/device_over.h"

namespace pintle::hanging {

using kit::Call;

/// What hangs is the call of the backend, wherever core makes it from. Two of them say that they share their memory.
class HangingDevice final : public kit::Forwarding {
 public:
  HangingDevice(std::shared_ptr<Gate> gate, std::optional<Call> call)
      : Forwarding("hanging", must(test::try_open_cpu({}))), gate_(std::move(gate)), call_(call) {
    info_.uuid = "hanging";
    for (Capability& row : info_.capabilities) {
      if (row.feature == Feature::memory_export) row.support = Support::native;
    }
  }

 private:
  Result<void> before(Call call) override {
    if (call == call_) gate_->pass();
    return {};
  }

  std::shared_ptr<Gate> gate_;  // a thread of core may leave it late
  std::optional<Call> call_;
};

inline Device open(std::shared_ptr<Gate> gate, std::optional<Call> call) {
  return test::device_over("hanging", std::make_unique<HangingDevice>(std::move(gate), call));
}
/// One that does not hang.
inline Device open() { return open(nullptr, std::nullopt); }

/// The calls that core makes one at a time: while one of them hangs, the others wait for it.
constexpr bool is_in_turn(Call call) noexcept {
  using enum Call;
  return call == submit || call == record || call == forget || call == create_queue || call == wrap_queue ||
         call == destroy_queue;
}

}  // namespace pintle::hanging
