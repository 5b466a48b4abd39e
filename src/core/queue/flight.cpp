#include "core/queue/flight.h"

namespace pintle::core {

void Flight::clear_more() noexcept {
  has_more = false;
  raises.clear();
  bound.clear();
  waits.clear();
  label.clear();
  refused.reset();
  runs.reset();
  run_count = 0;
}

std::optional<Error> Flight::take_error() noexcept {
  std::optional<Error> first;
  const auto ask = [&](HostRun& run) {
    if (auto thrown = run.take_error(); thrown && !first) first = std::move(thrown);
  };
  if (const ListState* const owned = Inside::state(list)) {
    for (HostRun* const run : owned->host_runs) ask(*run);
  }
  for (std::size_t i = 0; i < run_count; ++i) ask(runs[i]);
  return first;
}

}  // namespace pintle::core
