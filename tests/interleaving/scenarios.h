// The scenarios, by what they exercise.
#pragma once

#include <span>

#include "interleaving/model/stage.h"

namespace pintle::interleaving {

[[nodiscard]] std::span<const Scenario> timeline_scenarios();
[[nodiscard]] std::span<const Scenario> waiter_scenarios();
[[nodiscard]] std::span<const Scenario> host_timeline_scenarios();
[[nodiscard]] std::span<const Scenario> hand_over_scenarios();

[[nodiscard]] inline std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto part : {timeline_scenarios(), waiter_scenarios(), host_timeline_scenarios(), hand_over_scenarios()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace pintle::interleaving
