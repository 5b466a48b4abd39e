// Objects that the caller has made: checked, then retained.
#pragma once

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "pintle/native/opencl.h"

namespace pintle::opencl {

/// `invalid_argument` unless the context is one of the device's.
[[nodiscard]] Result<Owned<cl_context>> retain_context(const OpenClDevice& given);
/// `invalid_argument` unless `given` is an in-order queue of this device and context.
[[nodiscard]] Result<Owned<cl_command_queue>> retain_queue(const OpenClQueue& given, cl_context context,
                                                           const FoundDevice& found);
/// Whether a queue of the caller's measures what the clock needs; profiling cannot be added to a queue.
[[nodiscard]] Result<bool> measures_time(cl_command_queue queue, const FoundDevice& found);
/// `invalid_argument` unless `given` is a buffer of this context with `size` bytes.
[[nodiscard]] Result<Owned<cl_mem>> retain_buffer(const OpenClMemory& given, cl_context context, std::uint64_t size);
/// The address of a buffer that its maker has put into shared virtual memory; null for any other.
[[nodiscard]] void* shared_address(cl_mem memory);

}  // namespace pintle::opencl
