// Resources whose buffers a function of the caller's makes.
#pragma once

#include "capi/objects.h"
#include "capi/release_call.h"
#include "pintle/c/resource.h"

namespace pintle::capi {

/// While it lives, what this thread allocates is for a queue, whose handle a source hands on.
class AllocatingFor {
 public:
  explicit AllocatingFor(pintle_queue queue) noexcept;
  AllocatingFor(const AllocatingFor&) = delete;
  AllocatingFor& operator=(const AllocatingFor&) = delete;
  ~AllocatingFor();

 private:
  const pintle_queue before_;
};

class CallerSource final : public Resource::Source {
 public:
  using Allocate = pintle_status (*)(void* data, const pintle_resource_request* request, pintle_buffer* buffer,
                                     pintle_error* error);

  CallerSource(Allocate allocate, void* data) noexcept : allocate_(allocate), data_(data) {}

  [[nodiscard]] Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape,
                                        const BufferOptions& options) override;
  /// From now on `released` is called with the source's end.
  void arm(void (*released)(void* data)) noexcept { end_.arm(released, data_); }

 private:
  Allocate allocate_;
  void* data_;
  ReleaseCall end_;
};

}  // namespace pintle::capi
