// Copies of memory that nobody reads soon.
#pragma once

#include <cstddef>

namespace pintle::base {

/// As memcpy, past the caches where the processor can: what is overwritten is not read first, and what others use stays
/// in the caches. Slower than memcpy where `to` is in a cache or is read soon. Ordered as plain writes are.
void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace pintle::base
