// Queues and recordings; submissions and replays are in submit.cpp.
#include <utility>

#include "capi/answers.h"
#include "capi/check.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/queue_values.h"
#include "capi/structs.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

pintle_status pintle_queue_create(pintle_device device, const pintle_queue_options* options, pintle_queue* queue,
                                  pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(queue, "queue"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(made, its->create_queue(how));
    return make_queue(queue, std::move(made));
  });
}

pintle_status pintle_queue_last(pintle_queue queue, pintle_point* point, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(point, "pintle_point"));
    PINTLE_ASSIGN(its, use(queue));
    answer(&*out, its->timeline, its->queue.last());
    return {};
  });
}

pintle_status pintle_queue_timeline(pintle_queue queue, pintle_signal* signal, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(signal, "signal"));
    PINTLE_ASSIGN(its, use(queue));
    PINTLE_ASSIGN(own, use(its->timeline));  // not the queue, which another thread may be using
    return make(signal, own->signal, false);
  });
}

pintle_status pintle_queue_release(pintle_queue queue, pintle_error* error) {
  return enter(error, [&] { return release(queue); });
}

pintle_status pintle_recording_create(pintle_device device, pintle_list list, pintle_recording* recording,
                                      pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(recording, "recording"));
    PINTLE_ASSIGN(its, use(device));
    const auto commands = take(list);
    if (!commands) return missing(list);
    PINTLE_ASSIGN(made, its->record(std::move(*commands)));
    return make(recording, std::move(made));
  });
}

pintle_status pintle_recording_slots(pintle_recording recording, size_t* slots, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(slots, "slots"));
    PINTLE_ASSIGN(its, use(recording));
    *slots = its->slots();
    return {};
  });
}

pintle_status pintle_recording_release(pintle_recording recording, pintle_error* error) {
  return enter(error, [&] { return release(recording); });
}
