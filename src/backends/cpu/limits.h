// What core enforces before a launch and the backend's arrays rely on.
#pragma once

#include <cstdint>

namespace pintle::cpu {

inline constexpr std::uint32_t max_parameters = 64;
inline constexpr std::uint32_t max_local_bytes = 64 << 10;

}  // namespace pintle::cpu
