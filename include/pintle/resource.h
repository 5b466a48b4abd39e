// Where buffers come from: a pool, or anything that stands before one.
#pragma once

#include <cstdint>
#include <string>

#include "pintle/buffer.h"
#include "pintle/fwd.h"

namespace pintle {

/// A source of buffers for work on a queue. Resources stand before one another, each with one idea: a limit before a
/// log before a pool. A buffer goes back to where it came from when it is destroyed, or with `Queue::free`.
/// Thread-safe, unless one says otherwise; outlives its callers, not its buffers.
class Resource {
 public:
  Resource() = default;
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  virtual ~Resource() = default;

  /// As `Queue::allocate(*this, ...)`, which is how it reads better.
  [[nodiscard]] virtual Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                                const BufferOptions& options) = 0;
};

}  // namespace pintle
