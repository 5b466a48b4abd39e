#include "pintle/handle_set.h"

#include <fmt/format.h>

#include <utility>

#include "base/inside.h"
#include "base/quote.h"
#include "base/timeout.h"
#include "memory/handle_state.h"

namespace pintle {

using memory::HandleState;

Result<Handle*> HandleSet::add(Handle&& handle) {
  return base::enter("adding a handle to a set", [&]() -> Result<Handle*> {
    if (!Inside::state(handle)) return memory::empty_handle();
    if (handles_.contains(handle.name()))
      return Error(Errc::invalid_argument,
                   fmt::format("{} is not the only one of its name in the set.", handle.text()));
    std::string name(handle.name());
    return &handles_.emplace(std::move(name), std::move(handle)).first->second;
  });
}

Result<Handle*> HandleSet::find(std::string_view name) {
  return base::enter("finding a handle", [&]() -> Result<Handle*> {
    const auto found = handles_.find(name);
    if (found != handles_.end()) return &found->second;
    return Error(Errc::not_found, fmt::format("No handle is called {}; there are: {}.", base::quote(name),
                                              memory::quoted_names(names())));
  });
}

std::vector<std::string> HandleSet::names() const noexcept {
  return base::contain_or(std::vector<std::string>(), [&] {
    std::vector<std::string> names;
    for (const auto& [name, handle] : handles_) names.push_back(name);
    return names;
  });
}

Result<std::vector<HandleState*>> HandleSet::states() const {
  std::vector<HandleState*> states;
  for (const auto& [name, handle] : handles_) {
    if (handle.name() != name) {
      return Error(Errc::invalid_argument, fmt::format("Handle {} of the set was moved from or replaced: it is {} now.",
                                                       base::quote(name), handle.text()));
    }
    states.push_back(Inside::state(handle).get());
  }
  return states;
}

Result<Point> HandleSet::checkpoint(Queue& queue, Timeout timeout) {
  return base::enter("checkpointing a set of handles", timeout, [&](Deadline deadline) -> Result<Point> {
    PINTLE_ASSIGN(all, states());
    std::vector<std::pair<HandleState*, memory::HostBytes>> copies;
    CommandList list;
    for (HandleState* state : all) {
      if (state->keep() != Keep::Kind::host_shadow) continue;
      PINTLE_TRY(state->settle(deadline));
      PINTLE_ASSIGN(copy, state->begin_checkpoint(list));
      copies.emplace_back(state, std::move(copy));
    }
    PINTLE_ASSIGN(point, queue.submit(std::move(list), {.timeout = deadline - Clock::now()}));
    for (auto& [state, copy] : copies) state->accept_checkpoint(std::move(copy), point);
    return std::move(point);
  });
}

Result<std::vector<std::string>> HandleSet::lost() {
  return base::enter("listing lost handles", [&]() -> Result<std::vector<std::string>> {
    PINTLE_ASSIGN(all, states());
    std::vector<std::string> names;
    for (HandleState* state : all) {
      if (state->is_stale() && !state->is_kept()) names.push_back(state->name());
    }
    return names;
  });
}

Result<Point> HandleSet::restore(Queue& queue, Timeout timeout) {
  return base::enter("restoring a set of handles", timeout, [&](Deadline deadline) -> Result<Point> {
    PINTLE_ASSIGN(all, states());
    // All settle before any is used: handles that share a checkpoint then all have it, or none has it.
    for (HandleState* state : all) PINTLE_TRY(state->settle(deadline));
    PINTLE_ASSIGN(gone, lost());
    if (!gone.empty()) {
      return Error(
          Errc::stale,
          fmt::format("Handles ({}) are stale, and nothing of them is kept: write or renew them before the set "
                      "is restored.",
                      memory::quoted_names(gone)));
    }
    std::vector<memory::HandleWrite> writes;
    for (HandleState* state : all) {
      if (!state->is_kept()) continue;
      PINTLE_ASSIGN(contents, state->kept_contents());
      writes.push_back({state, std::move(contents)});
    }
    return memory::submit_writes(queue, std::move(writes), deadline);
  });
}

}  // namespace pintle
