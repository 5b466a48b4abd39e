// Bytes of the process that are allocated now.
#pragma once

#include <cstdint>

namespace pintle::growth {

[[nodiscard]] std::int64_t live_bytes() noexcept;

}  // namespace pintle::growth
