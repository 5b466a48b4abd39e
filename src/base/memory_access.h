// What an instruction was doing when it touched memory that is not there.
#pragma once

#include <cstdint>

namespace pintle::base {

enum class MemoryAccess : std::uint8_t { read, write };

/// `context` is what a handler of SIGSEGV gets. A processor that does not tell counts as writing. A signal handler may
/// call this.
[[nodiscard]] MemoryAccess access_of(const void* context) noexcept;

}  // namespace pintle::base
