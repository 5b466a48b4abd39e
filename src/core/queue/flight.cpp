#include "core/queue/flight.h"

#include <utility>

#include "base/inside.h"
#include "core/list/list_state.h"

namespace pintle::core {

void Flight::clear(Worklist& worklist) noexcept {
  hold.reset();
  if (!bindings.empty()) bindings.clear();
  if (std::exchange(is_plain, true)) return;
  is_lent = false;
  raises.clear();
  bound.clear();
  waits.clear();
  label.clear();
  refused.reset();
  runs.reset();
  run_count = 0;
  if (ListState* const owned = std::exchange(Inside::state(list), nullptr)) worklist.bury(*owned);
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
