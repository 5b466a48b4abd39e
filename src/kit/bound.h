// What the slots of a recording hold in one replay, for a backend that replays by itself. Core has checked each
// binding.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "kit/accesses.h"
#include "pintle/backend/command.h"

namespace pintle::kit {

/// `given`, or what its slot holds.
template <class T>
[[nodiscard]] const T& bound(const T& given, std::uint32_t slot, std::span<const backend::Binding> bindings) noexcept {
  return slot == backend::no_slot ? given : *std::get_if<T>(&bindings[slot]);
}

/// Where a range is, cut to what the command needs.
[[nodiscard]] inline backend::Range bound(const backend::Range& range,
                                          std::span<const backend::Binding> bindings) noexcept {
  if (range.slot == backend::no_slot) return range;
  backend::Range held = bound(range, range.slot, bindings);
  if (range.size != 0) held.size = range.size;
  return held;
}

/// Calls `visit(range, access)` for each range that a command of the list touches, or the list that it replays, as it
/// is bound. `recorded(replay)` is that list.
template <class Recorded, class Visit>
void for_each_bound_range(const backend::Command& command, const backend::Commands& list, Recorded recorded,
                          Visit visit) {
  const auto* const replay = std::get_if<backend::Replay>(&command.operation);
  if (replay == nullptr) return for_each_range(command, list.arguments, visit);
  const backend::Commands& replayed = recorded(*replay);
  for (const backend::Command& each : replayed.commands)
    for_each_range(each, replayed.arguments,
                   [&](const backend::Range& range, Access access) { visit(bound(range, replay->bindings), access); });
}

}  // namespace pintle::kit
