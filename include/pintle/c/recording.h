/* Recordings: lists that are checked and ordered once, and replayed with other values in their slots. */
#ifndef PINTLE_C_RECORDING_H
#define PINTLE_C_RECORDING_H

#include "pintle/c/list.h"
#include "pintle/c/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Freezes a list: checks it and takes it over. Its host memory has to be the list's own or a slot's. One thread at a
 * time for the list. */
PINTLE_C_API pintle_status pintle_recording_create(pintle_device device, pintle_list list, pintle_recording* recording,
                                                   pintle_error* error);
/* The number of slots: one more than the highest index that the list uses. Any thread. */
PINTLE_C_API pintle_status pintle_recording_slots(pintle_recording recording, size_t* slots, pintle_error* error);
/* Replays a recording; `bindings[i]` fills slot i: PINTLE_ARGUMENT_BUFFER, PINTLE_ARGUMENT_SCALAR, or host memory that
 * is lent until the replay's point is reached, PINTLE_ARGUMENT_BYTES or PINTLE_ARGUMENT_TARGET. Otherwise as
 * pintle_queue_submit. One thread at a time for a queue; several queues may replay a recording at once. */
PINTLE_C_API pintle_status pintle_queue_replay(pintle_queue queue, pintle_recording recording,
                                               const pintle_argument* bindings, size_t count,
                                               const pintle_submit_options* options, pintle_point* point,
                                               pintle_error* error);
/* Lets go of the recording. Its replays in flight keep what they need. Any thread. */
PINTLE_C_API pintle_status pintle_recording_release(pintle_recording recording, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
