// What the slots of a recording hold in one replay, for a backend that replays by itself. Core has checked each
// binding.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

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

}  // namespace pintle::kit
