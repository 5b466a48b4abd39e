// A crash, or a call that never returns, names the seed.
#pragma once

#include <cstdint>
#include <string>

namespace pintle::differential {

/// From now on a fatal signal and a program that takes longer than `seconds` print the devices and the seed.
void watch_for_crashes(const std::string& devices, unsigned seconds);
/// The program that runs now.
void name_seed(std::uint64_t seed) noexcept;

}  // namespace pintle::differential
