#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "conformance/sweep/scenario.h"

namespace pintle::conformance {

Result<Signal> Run::gate() {
  PINTLE_ASSIGN(signal, Signal::create(test_.first()));
  gates_.push_back(signal);
  return signal;
}

Result<Signal> Run::promised() {
  PINTLE_ASSIGN(signal, Signal::create(test_.first()));
  promised_.push_back(signal);
  return signal;
}

Result<Point> Run::keep(Result<Point> point) {
  if (point) points_.push_back(*point);
  return point;
}

std::vector<std::uint32_t>& Run::memory(std::size_t words) {
  return *memory_.emplace_back(std::make_unique<std::vector<std::uint32_t>>(words));
}

void Run::compare(const std::vector<std::uint32_t>& got, const std::vector<std::uint32_t>& expected) {
  wrong_ = wrong_ || (test_.executes() && got != expected);
}

std::vector<Error> Run::finish(const Result<void>& result) {
  std::vector<Error> errors = refusals_;
  if (!result)
    for (Signal& signal : promised_) static_cast<void>(signal.fail(result.error()));
  for (Signal& gate : gates_) static_cast<void>(gate.set(std::numeric_limits<std::uint64_t>::max()));
  for (const Point& point : points_) {
    if (const auto waited = test_.wait(point); !waited) errors.push_back(waited.error());
  }
  static_cast<void>(test_.eventually([&] { return callbacks_came_once(); }));
  return errors;
}

bool Run::callbacks_came_once() const {
  return std::ranges::all_of(callbacks_, [](const auto& calls) { return calls->load() == 1; });
}

}  // namespace pintle::conformance
