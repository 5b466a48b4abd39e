#include "base/stream_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pintle::base {

#if defined(__SSE2__)

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  const std::size_t head = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  if (head > 0) std::memcpy(to, from, head);
  const std::size_t lines = (bytes - head) / line;
  auto* target = reinterpret_cast<__m128i*>(to + head);
  const auto* source = reinterpret_cast<const __m128i*>(from + head);
  for (std::size_t i = 0; i < lines; ++i, target += 4, source += 4) {
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
  const std::size_t done = head + lines * line;
  if (done < bytes) std::memcpy(to + done, from + done, bytes - done);
}

#else

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

#endif

}  // namespace pintle::base
