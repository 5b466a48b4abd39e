// What adaptors of resources share: the words for a request, and how they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/contain.h"
#include "pintle/buffer.h"
#include "pintle/resource.h"

namespace pintle::memory {

/// Empty where no buffer can have this dtype and shape. Then the resource upstream gives the error.
[[nodiscard]] std::optional<std::uint64_t> requested_bytes(DType dtype, const Shape& shape) noexcept;

/// `[Buffer "view matrix"]`, or `[Buffer]` without a label: it has no number yet.
[[nodiscard]] std::string request_text(const BufferOptions& options);

/// `make()` gives the adaptor, and may run out of memory; `upstream` must have a source.
template <class Adaptor, class Make>
[[nodiscard]] Result<Adaptor> adaptor_before(const Resource& upstream, Make make) noexcept {
  if (!upstream.has_source()) return Error(Errc::invalid_argument, "The resource upstream has no source.");
  return base::contain("making a resource", [&]() -> Result<Adaptor> { return make(); });
}

}  // namespace pintle::memory
