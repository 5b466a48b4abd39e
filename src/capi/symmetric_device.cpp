// The bytes of a symmetric heap as a device has them.
#include <fmt/format.h>

#include "capi/answers.h"
#include "capi/check.h"
#include "capi/structs.h"
#include "capi/symmetric_objects.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

/// The range of a view that is of this rank.
Result<SymmetricBuffer> own_range(const SymmetricHeap& heap, const pintle_symmetric_view* view) {
  PINTLE_ASSIGN(range, symmetric_view_of(view));
  if (range.rank == heap.rank()) return range.buffer;
  return Error(Errc::invalid_argument, fmt::format("The rank ({}) of the view is not that ({}) which {} is of.",
                                                   range.rank, heap.rank(), heap.text()));
}

/// A copy between the piece and the device. `copy(heap, range, queue, options)` answers a Result<Point>.
template <class Copy>
pintle_status copy_with(pintle_symmetric_heap heap, const pintle_symmetric_view* range, pintle_queue queue,
                        const pintle_submit_options* options, pintle_point* point, pintle_error* error, Copy copy) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_TRY(takes_answer(point));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(own, own_range(its.heap, range));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(done, copy(its.heap, own, on->queue, std::move(how)));
    answer(point, on->timeline, done);
    return {};
  });
}

}  // namespace

pintle_status pintle_symmetric_heap_on_device(pintle_symmetric_heap heap, pintle_symmetric_buffer buffer,
                                              pintle_view* view, pintle_error* error) {
  return with(heap, error, [&](HeapObject& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(view, "pintle_view"));
    PINTLE_ASSIGN(whole, use(buffer));
    PINTLE_ASSIGN(bytes, its.heap.on_device(*whole));
    return its.lent.lend(buffer.id, bytes, its.heap.text(), &*out);
  });
}

pintle_status pintle_symmetric_heap_to_device(pintle_symmetric_heap heap, const pintle_symmetric_view* range,
                                              pintle_queue queue, const pintle_submit_options* options,
                                              pintle_point* point, pintle_error* error) {
  return copy_with(heap, range, queue, options, point, error,
                   [](SymmetricHeap& its, const SymmetricBuffer& own, Queue& on, SubmitOptions how) {
                     return its.to_device(own, on, std::move(how));
                   });
}

pintle_status pintle_symmetric_heap_from_device(pintle_symmetric_heap heap, const pintle_symmetric_view* range,
                                                pintle_queue queue, const pintle_submit_options* options,
                                                pintle_point* point, pintle_error* error) {
  return copy_with(heap, range, queue, options, point, error,
                   [](SymmetricHeap& its, const SymmetricBuffer& own, Queue& on, SubmitOptions how) {
                     return its.from_device(own, on, std::move(how));
                   });
}
