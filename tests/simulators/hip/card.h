// The card that is played, and what its library is called: an MI210, of which no line of a probe says anything.
#pragma once

#include <array>
#include <cstddef>

#define SIMULATED_SETTING(name) "SIMULATED_HIP_" name

namespace pintle::simulator::card {

inline constexpr const char* library = "libamdhip64.so.6";
inline constexpr const char* name = "Simulated AMD Instinct MI210";
inline constexpr const char* architecture = "gfx90a:sramecc+:xnack-";
inline constexpr std::array masks{"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};
inline constexpr std::size_t default_shared = 65536;
inline constexpr std::size_t most_shared = 65536;
inline constexpr std::size_t context_bytes = 0;

}  // namespace pintle::simulator::card
