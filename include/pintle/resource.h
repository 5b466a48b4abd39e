// Where buffers come from: a pool, or anything that stands before one.
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
/// log before a pool. Each owns the one behind it, so they may go in any order. A buffer goes back to where it came
/// from when it is destroyed, or with `Queue::free`; it may outlive every resource.
///
/// A value: copies share the source. Thread-safe, unless a source says otherwise.
class Resource {
 public:
  /// What makes the buffers. Derive from it for a source of your own, and hand it over:
  /// `Resource(std::make_shared<MySource>())`. It is called by every thread that allocates.
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

  /// As `Queue::allocate(*this, ...)`, which reads better. `invalid_argument` for a resource without a source.
  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options = {}) const;
  [[nodiscard]] bool has_source() const noexcept { return source_ != nullptr; }

 private:
  std::shared_ptr<Source> source_;
};

}  // namespace pintle
