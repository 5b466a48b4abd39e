// How long commands should take.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "host/bytes.h"
#include "host/team.h"
#include "pintle/backend/command.h"

namespace pintle::host {

/// Nanoseconds for what is no launch, and 0 for launches, which have a `LoopCost`; `size_of(range)` answers bytes. No
/// thread that waits may run a function of the host, which might wait for what that very thread holds: its cost is
/// never known.
template <class SizeOf>
[[nodiscard]] float expected(const backend::Operation& operation, SizeOf size_of) {
  constexpr float each_byte = 0.125f;
  constexpr float each_command = 20;
  const auto moving = [&](const backend::Range& range) {
    const std::uint64_t size = size_of(range);
    return has_pieces(size) ? unknown_cost : each_command + each_byte * static_cast<float>(size);
  };
  return std::visit(
      [&]<class T>(const T& each) -> float {
        if constexpr (std::is_same_v<T, backend::HostCall> || std::is_same_v<T, backend::ExecIndirect>)
          return unknown_cost;
        else if constexpr (std::is_same_v<T, backend::Download>) return moving(each.from);
        else if constexpr (requires { moving(each.to); }) return moving(each.to);
        else return 0;
      },
      operation);
}

}  // namespace pintle::host
