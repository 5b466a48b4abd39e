// Copies to memory that is not read soon.
#pragma once

#include <cstddef>

namespace pintle::base {

/// Copies past the caches where the processor can: the target is not read before it is overwritten, and other data
/// stays in the caches. Slower than memcpy where `to` is in a cache or is read soon. Ordered as plain writes are.
void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace pintle::base
