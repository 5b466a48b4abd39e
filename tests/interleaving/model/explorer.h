// Every schedule of a scenario, each essentially different one once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interleaving/model/execution.h"
#include "interleaving/model/stage.h"

namespace pintle::interleaving {

struct Report {
  std::uint64_t schedules = 0;  ///< Run to the end and different in the order of steps that depend on each other.
  std::uint64_t redundant = 0;  ///< Found to repeat one of those on the way.
  bool exhaustive = false;
  std::optional<Violation> violation;
  std::string schedule;            ///< The violation's: what `replay` takes.
  std::vector<std::string> steps;  ///< The violation's, in words.

  [[nodiscard]] std::string summary() const;
  /// The violation with its steps.
  [[nodiscard]] std::string story() const;
};

/// `none` runs every order of every two steps, whether it matters or not: what the reduction is checked against.
enum class Reduction : std::uint8_t { sleep_sets, none };

/// Depth first with sleep sets: a step that was tried is not tried again until something that depends on it has run.
/// Stops at the first violation, or unfinished after `most_schedules`.
[[nodiscard]] Report explore(const Scenario& scenario, Reduction reduction = Reduction::sleep_sets,
                             std::uint64_t most_schedules = 4'000'000);

/// One run along a schedule that `explore` gave; empty when the schedule does not fit the scenario.
[[nodiscard]] std::optional<Report> replay(const Scenario& scenario, std::string_view schedule);

}  // namespace pintle::interleaving
