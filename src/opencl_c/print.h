// printf of a kernel: what its code hands over, and the lines that reach the log.
#pragma once

#include <cstdint>

namespace pintle::opencl_c {

/// What the code calls through the pointer at `print_symbol`. `kinds` has two characters for each argument: 'f'
/// (floating point), 'i' (an integer) or 'p' (an address), and '0' plus its lanes. Each lane is a word: the bits of a
/// double, or an integer with its sign. A null `format` ends the line that the thread has begun.
using Print = void (*)(const char* format, const char* kinds, const std::uint64_t* words);

/// The one that writes to the log (cpu, info), in whole lines. Thread-safe.
void print(const char* format, const char* kinds, const std::uint64_t* words) noexcept;

}  // namespace pintle::opencl_c
