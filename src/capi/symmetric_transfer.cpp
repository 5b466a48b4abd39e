// Puts, gets and signals of symmetric heaps, and what orders them.
#include <optional>

#include "capi/answers.h"
#include "capi/check.h"
#include "capi/host_memory.h"
#include "capi/symmetric_objects.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

/// An asynchronous form. `begin(heap, options)` answers a Result<Point>.
template <class Begin>
pintle_status begin_with(pintle_symmetric_heap heap, const pintle_submit_options* options, pintle_point* point,
                         pintle_error* error, Begin begin) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_TRY(takes_answer(point));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_TRY(its.timelines.prepare());
    PINTLE_ASSIGN(done, begin(its.heap, std::move(how)));
    answer(point, its.timelines.signal_of(done), done);
    return {};
  });
}

/// A call that waits. `wait(heap, timeout)` answers a Result<void>.
template <class Wait>
pintle_status wait_with(pintle_symmetric_heap heap, std::int64_t timeout, pintle_error* error, Wait wait) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    return wait(its.heap, bound);
  });
}

}  // namespace

pintle_status pintle_symmetric_heap_put(pintle_symmetric_heap heap, const pintle_symmetric_view* to, const void* from,
                                        size_t bytes, pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(target, symmetric_view_of(to));
    PINTLE_ASSIGN(source, readable_bytes(from, bytes, "from"));
    return its.heap.put(target, source);
  });
}

pintle_status pintle_symmetric_heap_get(pintle_symmetric_heap heap, void* to, size_t bytes,
                                        const pintle_symmetric_view* from, pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(source, symmetric_view_of(from));
    PINTLE_ASSIGN(target, writable_bytes(to, bytes, "to"));
    return its.heap.get(target, source);
  });
}

pintle_status pintle_symmetric_heap_put_signal(pintle_symmetric_heap heap, const pintle_symmetric_view* to,
                                               const void* from, size_t bytes, pintle_symmetric_signals signals,
                                               uint64_t index, uint64_t value, pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(target, symmetric_view_of(to));
    PINTLE_ASSIGN(source, readable_bytes(from, bytes, "from"));
    PINTLE_ASSIGN(signal, symmetric_signal_of(signals, index));
    return its.heap.put_signal(target, source, signal, value);
  });
}

pintle_status pintle_symmetric_heap_raise(pintle_symmetric_heap heap, pintle_symmetric_signals signals, uint64_t index,
                                          uint32_t rank, uint64_t value, pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(signal, symmetric_signal_of(signals, index));
    return its.heap.raise(signal, rank, value);
  });
}

pintle_status pintle_symmetric_heap_put_async(pintle_symmetric_heap heap, const pintle_symmetric_view* to,
                                              const void* from, size_t bytes, const pintle_submit_options* options,
                                              pintle_point* point, pintle_error* error) {
  return begin_with(heap, options, point, error, [&](SymmetricHeap& its, SubmitOptions how) -> Result<Point> {
    PINTLE_ASSIGN(target, symmetric_view_of(to));
    PINTLE_ASSIGN(source, readable_bytes(from, bytes, "from"));
    return its.put(target, source, std::move(how));
  });
}

pintle_status pintle_symmetric_heap_get_async(pintle_symmetric_heap heap, void* to, size_t bytes,
                                              const pintle_symmetric_view* from, const pintle_submit_options* options,
                                              pintle_point* point, pintle_error* error) {
  return begin_with(heap, options, point, error, [&](SymmetricHeap& its, SubmitOptions how) -> Result<Point> {
    PINTLE_ASSIGN(source, symmetric_view_of(from));
    PINTLE_ASSIGN(target, writable_bytes(to, bytes, "to"));
    return its.get(target, source, std::move(how));
  });
}

pintle_status pintle_symmetric_heap_put_signal_async(pintle_symmetric_heap heap, const pintle_symmetric_view* to,
                                                     const void* from, size_t bytes, pintle_symmetric_signals signals,
                                                     uint64_t index, uint64_t value,
                                                     const pintle_submit_options* options, pintle_point* point,
                                                     pintle_error* error) {
  return begin_with(heap, options, point, error, [&](SymmetricHeap& its, SubmitOptions how) -> Result<Point> {
    PINTLE_ASSIGN(target, symmetric_view_of(to));
    PINTLE_ASSIGN(source, readable_bytes(from, bytes, "from"));
    PINTLE_ASSIGN(signal, symmetric_signal_of(signals, index));
    return its.put_signal(target, source, signal, value, std::move(how));
  });
}

pintle_status pintle_symmetric_heap_wait_signal(pintle_symmetric_heap heap, pintle_symmetric_signals signals,
                                                uint64_t index, uint64_t value, const uint32_t* from, int64_t timeout,
                                                pintle_error* error) {
  return wait_with(heap, timeout, error, [&](SymmetricHeap& its, Timeout bound) -> Result<void> {
    PINTLE_ASSIGN(signal, symmetric_signal_of(signals, index));
    return its.wait_signal(signal, value, bound, from == nullptr ? std::nullopt : std::optional(*from));
  });
}

pintle_status pintle_symmetric_heap_signal_value(pintle_symmetric_heap heap, pintle_symmetric_signals signals,
                                                 uint64_t index, uint64_t* value, pintle_error* error) {
  return with(heap, error, [&](const HeapObject& its) -> Result<void> {
    PINTLE_TRY(given(value, "value"));
    PINTLE_ASSIGN(signal, symmetric_signal_of(signals, index));
    PINTLE_ASSIGN(now, its.heap.value(signal));
    *value = now;
    return {};
  });
}

pintle_status pintle_symmetric_heap_fence(pintle_symmetric_heap heap, int64_t timeout, pintle_error* error) {
  return wait_with(heap, timeout, error, [](SymmetricHeap& its, Timeout bound) { return its.fence(bound); });
}

pintle_status pintle_symmetric_heap_flush(pintle_symmetric_heap heap, int64_t timeout, pintle_error* error) {
  return wait_with(heap, timeout, error, [](SymmetricHeap& its, Timeout bound) { return its.flush(bound); });
}

pintle_status pintle_symmetric_heap_barrier(pintle_symmetric_heap heap, int64_t timeout, pintle_error* error) {
  return wait_with(heap, timeout, error, [](SymmetricHeap& its, Timeout bound) { return its.barrier(bound); });
}
