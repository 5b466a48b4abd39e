// Symmetric heaps, and what is allocated of them.
#include "pintle/c/symmetric.h"

#include <algorithm>
#include <limits>

#include "capi/buffer_values.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/rank_objects.h"
#include "capi/structs.h"
#include "capi/symmetric_objects.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

Result<SymmetricOptions> options_of(const pintle_symmetric_options* options) {
  SymmetricOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_symmetric_options"));
  PINTLE_ASSIGN(timeout, timeout_or_default(in->timeout));
  out.label = text_or_none(in->label);
  out.timeout = timeout;
  if (in->device.id == 0) return out;
  PINTLE_ASSIGN(device, use(in->device));
  out.device = *device;
  return out;
}

/// A number that is no dtype stays none: the ranks hear of it together.
DType unchecked_dtype(std::uint32_t number) noexcept {
  return number > std::numeric_limits<std::uint8_t>::max() ? DType{0} : static_cast<DType>(number);
}

/// More dimensions than a shape has make one that no allocation accepts.
Shape unchecked_shape(std::size_t dim_count, const std::uint64_t* dims) noexcept {
  return Shape(std::span(dims, std::min(dim_count, Shape::max_rank + 1)));
}

}  // namespace

pintle_status pintle_symmetric_heap_create(pintle_rank_group group, uint64_t bytes,
                                           const pintle_symmetric_options* options, pintle_symmetric_heap* heap,
                                           pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(heap, "heap"));
    PINTLE_ASSIGN(its, use(group));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(made, SymmetricHeap::create(*its, bytes, how));
    std::string detail(made.residence_detail());
    return make(heap, std::move(made), std::move(detail));
  });
}

pintle_status pintle_symmetric_heap_get_info(pintle_symmetric_heap heap, pintle_symmetric_heap_info* info,
                                             pintle_error* error) {
  return with(heap, error, [&](const HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_symmetric_heap_info"));
    const SymmetricUsage usage = its.heap.usage();
    out->rank = its.heap.rank();
    out->ranks = its.heap.ranks();
    out->residence = static_cast<std::uint32_t>(its.heap.residence());
    out->residence_detail = its.residence_detail.c_str();
    out->bytes = usage.size;
    out->free = usage.free;
    out->largest = usage.largest;
    return {};
  });
}

pintle_status pintle_symmetric_heap_allocate(pintle_symmetric_heap heap, uint32_t dtype, size_t dim_count,
                                             const uint64_t* dims, int64_t timeout, pintle_symmetric_buffer* buffer,
                                             pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_TRY(given(buffer, "buffer"));
    if (dim_count != 0) PINTLE_TRY(given(dims, "dims"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(made, its.buffers.add_created([&] {
      return its.heap.allocate(unchecked_dtype(dtype), unchecked_shape(dim_count, dims), bound);
    }));
    *buffer = made;
    return {};
  });
}

pintle_status pintle_symmetric_heap_free(pintle_symmetric_heap heap, pintle_symmetric_buffer buffer, int64_t timeout,
                                         pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(freed, use(buffer));
    PINTLE_TRY(its.heap.free(*freed, bound));
    its.lent.end(buffer.id);
    its.buffers.end(buffer);
    return {};
  });
}

pintle_status pintle_symmetric_heap_allocate_signals(pintle_symmetric_heap heap, uint64_t count, int64_t timeout,
                                                     pintle_symmetric_signals* signals, pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_TRY(given(signals, "signals"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(made, its.signals.add_created([&] { return its.heap.allocate_signals(count, bound); }));
    *signals = made;
    return {};
  });
}

pintle_status pintle_symmetric_heap_free_signals(pintle_symmetric_heap heap, pintle_symmetric_signals signals,
                                                 int64_t timeout, pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(freed, use(signals));
    PINTLE_TRY(its.heap.free(*freed, bound));
    its.signals.end(signals);
    return {};
  });
}

pintle_status pintle_symmetric_buffer_get_info(pintle_symmetric_buffer buffer, pintle_symmetric_buffer_info* info,
                                               pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_symmetric_buffer_info"));
    PINTLE_ASSIGN(its, use(buffer));
    out->dtype = static_cast<std::uint32_t>(its->dtype());
    out->offset = its->offset_bytes();
    out->bytes = its->size_bytes();
    fill_dims(out->rank, out->dims, its->shape());
    return {};
  });
}

pintle_status pintle_symmetric_heap_local(pintle_symmetric_heap heap, pintle_symmetric_buffer buffer, void** data,
                                          pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_TRY(given(data, "data"));
    PINTLE_ASSIGN(whole, use(buffer));
    PINTLE_ASSIGN(bytes, its.heap.local(*whole));
    *data = bytes.data();
    return {};
  });
}

pintle_status pintle_symmetric_heap_release(pintle_symmetric_heap heap, pintle_error* error) {
  return enter(error, [&] { return release(heap); });
}
