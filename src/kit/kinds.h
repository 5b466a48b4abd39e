// Which operations a list has. Most lists have launches and copies alone, and need no look for others.
#pragma once

#include <cstdint>
#include <utility>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// A bit for each operation.
using Kinds = std::uint32_t;

template <class... Operations>
inline constexpr Kinds kinds_of = ((Kinds{1} << backend::Operation(std::in_place_type<Operations>).index()) | ...);

[[nodiscard]] inline Kinds kind_of(const backend::Command& command) noexcept {
  return Kinds{1} << command.operation.index();
}

/// Whether there is none but `expected`.
[[nodiscard]] constexpr bool are_only(Kinds kinds, Kinds expected) noexcept { return (kinds & ~expected) == 0; }

}  // namespace pintle::kit
