// Sources of buffers: a pool, or anything that stands before one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "pintle/buffer.h"
#include "pintle/fwd.h"

namespace pintle {

/// A buffer that is alive.
struct ResourceHolder {
  std::string buffer;       ///< `[Buffer 12 "activations"]`
  std::uint64_t bytes = 0;  ///< The bytes that were asked for.
};

/// A source of buffers for work on a queue. Resources stand before one another, each with one idea: a limit before a
/// log before a pool. Each owns the one behind it, so they may be destroyed in any order. A buffer goes back to its
/// source when it is destroyed, or by `Queue::free`. It may outlive every resource.
///
/// A value: copies share the source. Thread-safe, unless a source says otherwise.
class Resource {
 public:
  /// The interface that makes the buffers. A class of your own derives from it and becomes a resource:
  /// `Resource(std::make_shared<MySource>())`. Every thread that allocates calls it.
  class Source {
   public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    [[nodiscard]] virtual Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                                  const BufferOptions& options) = 0;
  };

  Resource() noexcept = default;
  explicit Resource(std::shared_ptr<Source> source) noexcept : source_(std::move(source)) {}

  /// Allocates a buffer. `queue.allocate(resource, ...)` does the same and reads better. `invalid_argument` for a
  /// resource without a source.
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options = {}) const;
  [[nodiscard]] bool has_source() const noexcept { return source_ != nullptr; }

 private:
  std::shared_ptr<Source> source_;
};

}  // namespace pintle
