// The owners of a stack's frames: the library, a caller, a vendor.
#pragma once

#include <span>
#include <string>

namespace pintle::allocation_sweep {

/// Reads the symbols of this program and where shared objects lie. Once, before the first window.
void read_symbols();

/// The innermost frame that is neither the standard library's nor one of its kind decides: it is Pintle's own code.
/// Takes no memory.
[[nodiscard]] bool is_of_library(std::span<void* const> frames) noexcept;

/// One line for each frame of the library, with its function, up to its caller.
[[nodiscard]] std::string text_of(std::span<void* const> frames);

}  // namespace pintle::allocation_sweep
