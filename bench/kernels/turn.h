// What the kernel bench_turn does to each of its values, for code that checks it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace pintle::bench {

/// Items of a group of bench_turn.
inline constexpr std::uint32_t turn_group = 64;

[[nodiscard]] constexpr std::uint32_t turned(std::uint32_t value, std::uint64_t rounds) noexcept {
  for (std::uint64_t i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

/// What both programs of first_result compute, from zeros.
inline constexpr std::uint32_t first_result_rounds = 100;
[[nodiscard]] inline bool is_first_result(std::span<const std::uint32_t> values) {
  return values.size() == turn_group &&
         std::ranges::all_of(values, [](std::uint32_t value) { return value == turned(0, first_result_rounds); });
}

}  // namespace pintle::bench
