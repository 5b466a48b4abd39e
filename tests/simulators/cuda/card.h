// The card that is played, and what its library is called. HIP's simulator has its own file of this name.
#pragma once

#include <array>
#include <cstddef>

#define SIMULATED_SETTING(name) "SIMULATED_CUDA_" name

namespace pintle::simulator::card {

inline constexpr const char* library = "libcuda.so.1";
inline constexpr std::array masks{"CUDA_VISIBLE_DEVICES"};
inline constexpr std::size_t default_shared = 49152;                  // line 200
inline constexpr std::size_t most_shared = 232448;                    // line 200
inline constexpr std::size_t context_bytes = std::size_t{524} << 20;  // line 32

}  // namespace pintle::simulator::card
