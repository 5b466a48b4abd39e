// Two devices in one case.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/context.h"

namespace pintle::conformance {

/// The device under test and one more, polled together, since either may be driven.
class Pair {
 public:
  Pair(Context& test, std::string_view other) : test_(test), other_(need(open(other))) {}

  [[nodiscard]] const Device& other() const noexcept { return other_; }
  [[nodiscard]] Queue other_queue(std::string label) const {
    return need(other_.create_queue({.label = std::move(label)}));
  }
  [[nodiscard]] bool other_executes() const {
    return other_.info().capability(Feature::execution).support != Support::absent;
  }

  void finish(const Point& point, std::source_location where = std::source_location::current()) const {
    std::optional<Result<bool>> reached;
    const bool answered = test_.eventually([&] {
      static_cast<void>(other_.poll());
      reached = point.is_reached();
      return !*reached || **reached;
    });
    if (!answered) record_failure("a point across devices is not reached", where);
    if (!need(std::move(*reached), where)) throw Stop{};
  }

 private:
  Context& test_;
  Device other_;
};

}  // namespace pintle::conformance
