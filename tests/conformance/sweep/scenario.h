// What the fault sweep runs again and again: small programs that may be stopped by an error at any call.
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/context.h"

namespace pintle::conformance {

/// One execution of a scenario. It knows what was promised, so that afterwards everything can be asked whether it was
/// answered.
class Run {
 public:
  explicit Run(Context& test) : test_(test) {}

  [[nodiscard]] Context& test() noexcept { return test_; }
  [[nodiscard]] const Device& device() const noexcept { return test_.device(); }

  /// A signal that the host raises. Every one is raised at the end, whatever happened, so that nothing waits for a host
  /// that gave up.
  [[nodiscard]] Result<Signal> gate();
  /// A signal that only submissions raise.
  [[nodiscard]] Result<Signal> promised();
  /// The point of a submission, to be answered in the end.
  Result<Point> keep(Result<Point> point);
  /// Something that the scenario goes on without; true where it was done. Its error is an answer all the same.
  template <class T>
  bool attempt(const Result<T>& done) {
    if constexpr (std::same_as<T, Point>) static_cast<void>(keep(done));
    if (!done) refusals_.push_back(done.error());
    return done.has_value();
  }
  /// Host memory that downloads may write to until everything is answered.
  [[nodiscard]] std::vector<std::uint32_t>& memory(std::size_t words);
  /// Counts a callback that must come once: `expect` when it is registered, `told` when it comes.
  void expect(std::shared_ptr<std::atomic<int>> calls) { callbacks_.push_back(std::move(calls)); }
  /// Compares what the device wrote; on a device that executes nothing there is nothing to compare.
  void compare(const std::vector<std::uint32_t>& got, const std::vector<std::uint32_t>& expected);

  /// The same for what the host can see.
  void check(bool holds) { wrong_ = wrong_ || !holds; }

  [[nodiscard]] bool bytes_are_wrong() const noexcept { return wrong_; }
  /// Raises the gates and waits for every answer; what a scenario that gave up was still to raise fails with its error.
  /// The errors that came: of attempts, then in the order of the points.
  [[nodiscard]] std::vector<Error> finish(const Result<void>& result);
  [[nodiscard]] bool callbacks_came_once() const;

 private:
  Context& test_;
  std::vector<Signal> gates_;
  std::vector<Signal> promised_;
  std::vector<Point> points_;
  std::vector<Error> refusals_;
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> memory_;
  std::vector<std::shared_ptr<std::atomic<int>>> callbacks_;
  bool wrong_ = false;
};

struct Scenario {
  std::string_view name;
  Result<void> (*run)(Run& run) = nullptr;
};

[[nodiscard]] std::span<const Scenario> scenarios();

}  // namespace pintle::conformance
