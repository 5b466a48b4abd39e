#include "capi/caller_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "capi/check.h"
#include "capi/enter.h"
#include "capi/memory_objects.h"

namespace pintle::capi {
namespace {

thread_local pintle_queue current_queue{};

pintle_buffer_options options_of(const BufferOptions& options) noexcept {
  pintle_buffer_options out{};
  out.size = sizeof out;
  out.placement = static_cast<std::uint32_t>(options.placement);
  out.allocation = static_cast<std::uint32_t>(options.allocation);
  out.alignment = options.alignment;
  out.label = options.label.empty() ? nullptr : options.label.c_str();
  if (options.timeout.is_default()) return out;
  const Duration left = options.timeout.deadline() - Clock::now();
  out.timeout = std::max<std::int64_t>(1, left.count());  // 0 is the default
  return out;
}

/// The buffer of a handle, which ends.
Result<Buffer> take_buffer(pintle_buffer handle, DType dtype, const Shape& shape) {
  const auto taken = take(handle);
  if (!taken) return missing(handle).during("taking a buffer that a function of the caller's has made");
  if (taken->dtype() == dtype && taken->size_bytes() == checked_bytes(dtype, shape)) return std::move(*taken);
  return Error(Errc::invalid_argument,
               fmt::format("The function of the caller's made {} bytes of {}, where {}{} was asked for.",
                           taken->size_bytes(), name(taken->dtype()), name(dtype), shape.text()));
}

}  // namespace

AllocatingFor::AllocatingFor(pintle_queue queue) noexcept : before_(std::exchange(current_queue, queue)) {}

AllocatingFor::~AllocatingFor() { current_queue = before_; }

Result<Buffer> CallerSource::allocate(Queue&, DType dtype, const Shape& shape, const BufferOptions& options) {
  if (!shape.is_valid())
    return Error(Errc::invalid_argument, fmt::format("The rank ({}) of a buffer is larger than the limit ({}).",
                                                     shape.rank(), Shape::max_rank));
  const pintle_buffer_options how = options_of(options);
  pintle_resource_request request{};
  request.size = sizeof request;
  request.dtype = static_cast<std::uint32_t>(dtype);
  request.queue = current_queue;
  request.rank = shape.rank();
  request.dims = shape.dims().data();
  request.options = &how;
  pintle_buffer made{};
  pintle_error failure PINTLE_ERROR_INIT;
  const pintle_status status = allocate_(data_, &request, &made, &failure);
  if (status != PINTLE_OK) return take_failure(status, failure);
  return take_buffer(made, dtype, shape);
}

}  // namespace pintle::capi

using namespace pintle;
using namespace pintle::capi;

pintle_status pintle_resource_create(pintle_status (*allocate)(void* data, const pintle_resource_request* request,
                                                               pintle_buffer* buffer, pintle_error* error),
                                     void (*released)(void* data), void* data, pintle_resource* resource,
                                     pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(reinterpret_cast<const void*>(allocate), "allocate"));
    PINTLE_TRY(given(resource, "resource"));
    const auto source = std::make_shared<CallerSource>(allocate, data);
    PINTLE_TRY(make(resource, Resource(source)));
    source->arm(released);
    return {};
  });
}
