// The device under test behind a faulty layer of the case's own, so that it can be lost.
#pragma once

#include <string>
#include <string_view>

#include "conformance/context.h"
#include "pintle/native/faulty.h"

namespace pintle::conformance {

/// A faulty layer over the device under test, like no other in the process: an id opened twice would be one device. The
/// plan is for an opening that never comes.
[[nodiscard]] inline std::string wrapped(const Context& test, int opening = 1'000'000) {
  return "faulty(" + std::string(test.id()) + ")?call=open&code=unavailable&ordinal=" + std::to_string(opening) +
         "&plan=" + Context::unique();
}

/// The device under test behind a layer whose next call of a kind can be made to fail.
class Fragile {
 public:
  /// `failing_opening`: which opening of the device fails, the first being the one here.
  explicit Fragile(Context& test, int failing_opening = 1'000'000)
      : device_(need(open(wrapped(test, failing_opening)))), test_(device_) {
    need(test_.find_first());
  }

  [[nodiscard]] const Device& device() const noexcept { return device_; }
  [[nodiscard]] Context& context() noexcept { return test_; }
  void arm(std::string_view call, Errc code) const {
    const auto control = need(device_.native<layers::FaultyControl>());
    need(control.arm(control.self, call, 1, code));
  }
  /// Loses the device in a submit; the error of that is the first cause.
  Error lose(Errc code = Errc::device_lost) {
    Queue victim = test_.queue("victim");
    arm("submit", code);
    const auto refused = victim.submit(CommandList{});
    if (!check_error(refused, code, {device_.id()})) throw Stop{};
    return refused.error();
  }

 private:
  Device device_;
  Context test_;
};

}  // namespace pintle::conformance
