#include "memory/request.h"

#include "base/quote.h"

namespace pintle::memory {

std::optional<std::uint64_t> requested_bytes(DType dtype, const Shape& shape) noexcept {
  return is_dtype(dtype) && shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
}

std::string request_text(const BufferOptions& options) {
  return options.label.empty() ? "[Buffer]" : "[Buffer " + base::quote(options.label) + "]";
}

}  // namespace pintle::memory
