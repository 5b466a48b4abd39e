// Group queues: collectives on memory of a device.
#include "pintle/c/group_queue.h"

#include <optional>

#include "capi/answers.h"
#include "capi/check.h"
#include "capi/choices.h"
#include "capi/collective.h"
#include "capi/enter.h"
#include "capi/lent_buffers.h"
#include "capi/rank_objects.h"
#include "capi/structs.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

Result<GroupQueueOptions> options_of(const pintle_group_queue_options* options) {
  GroupQueueOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_group_queue_options"));
  out.label = text_or_none(in->label);
  return out;
}

/// A view as memory of an operation, which uses the buffer itself only during the call.
class Operand {
 public:
  /// NULL is no memory.
  [[nodiscard]] Result<void> take(const pintle_view* view) {
    if (view == nullptr) return {};
    PINTLE_ASSIGN(part, view_of(view));
    elements_ = DeviceElements(part);
    if (is_lent(view->buffer)) return {};
    PINTLE_ASSIGN(buffer, use(view->buffer));
    const std::uint64_t size = bytes_of(part.dtype());
    if (part.dtype() == buffer->dtype() && part.offset_bytes() % size == 0)
      elements_ = DeviceElements(*buffer, part.offset_bytes() / size, part.size_bytes() / size);
    buffer_.emplace(std::move(buffer));
    return {};
  }
  [[nodiscard]] const DeviceElements& elements() const noexcept { return elements_; }

 private:
  std::optional<Use<pintle_buffer>> buffer_;
  DeviceElements elements_;
};

}  // namespace

pintle_status pintle_group_queue_create(pintle_rank_group group, pintle_device device,
                                        const pintle_group_queue_options* options, pintle_group_queue* queue,
                                        pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(queue, "queue"));
    PINTLE_ASSIGN(its, use(group));
    PINTLE_ASSIGN(on, use(device));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(made, GroupQueue::create(*its, *on, how));
    return make_queue(queue, std::move(made));
  });
}

pintle_status pintle_group_queue_submit(pintle_group_queue queue, const pintle_collective* operation,
                                        const pintle_view* to, const pintle_view* from,
                                        const pintle_submit_options* options, pintle_point* point,
                                        pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(takes_answer(point));
    PINTLE_ASSIGN(its, use(queue));
    PINTLE_ASSIGN(enqueued, collective_of(operation));
    Operand target, source;
    PINTLE_TRY(target.take(to));
    PINTLE_TRY(source.take(from));
    PINTLE_TRY(give_memory(enqueued, target.elements(), source.elements(), from != nullptr));
    PINTLE_ASSIGN(how, capi::options_of(options));
    PINTLE_ASSIGN(done, its->queue.submit(enqueued, std::move(how)));
    answer(point, its->timeline, done);
    return {};
  });
}

pintle_status pintle_group_queue_last(pintle_group_queue queue, pintle_point* point, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(point, "pintle_point"));
    PINTLE_ASSIGN(its, use(queue));
    answer(&*out, its->timeline, its->queue.last());
    return {};
  });
}

pintle_status pintle_group_queue_timeline(pintle_group_queue queue, pintle_signal* signal, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(signal, "signal"));
    PINTLE_ASSIGN(its, use(queue));
    return make(signal, its->queue.last().signal(), false);
  });
}

pintle_status pintle_group_queue_release(pintle_group_queue queue, pintle_error* error) {
  return enter(error, [&] { return release(queue); });
}
