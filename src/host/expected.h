// How long commands should take.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "host/bytes.h"
#include "host/team.h"
#include "pintle/backend/command.h"

namespace pintle::host {

/// Nanoseconds for a command that is no launch. 0 for a launch, which has a `LoopCost`. `size_of(range)` returns bytes.
/// The cost of a host function is never known, so that no thread that waits runs one: the function might wait for a
/// lock that this very thread holds.
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
