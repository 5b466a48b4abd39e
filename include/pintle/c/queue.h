/* Queues: lists in, points out. A queue runs its lists in order; each submission raises the queue's timeline by one. */
#ifndef PINTLE_C_QUEUE_H
#define PINTLE_C_QUEUE_H

#include "pintle/c/handles.h"
#include "pintle/c/signal.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of work that a queue runs. */
enum { PINTLE_QUEUE_COMPUTE = 1, PINTLE_QUEUE_COPY = 2 };

/* How a queue is created. */
typedef struct pintle_queue_options {
  uint32_t size;
  uint32_t kind;     /* 0: PINTLE_QUEUE_COMPUTE. */
  const char* label; /* In messages; NULL: none. */
} pintle_queue_options;

/* What a submission waits for and signals. */
typedef struct pintle_submit_options {
  uint32_t size;
  uint32_t reserved;
  const pintle_point* after; /* The work starts when all of these are reached. */
  size_t after_count;
  const pintle_point* signal; /* These are reached when the work is done, and fail with it. */
  size_t signal_count;
  int64_t timeout;   /* Nanoseconds to wait for room in a full queue; 0: PINTLE_TIMEOUT_DEFAULT. */
  const char* label; /* In messages; NULL: none. */
} pintle_submit_options;

/* Creates a queue; `options` may be NULL. PINTLE_UNSUPPORTED for a kind that the device does not have. Any thread. */
PINTLE_C_API pintle_status pintle_queue_create(pintle_device device, const pintle_queue_options* options,
                                               pintle_queue* queue, pintle_error* error);
/* Checks the list, takes it over, starts it, and answers its point, which may be NULL. After an error nothing was
 * started, and the list is the caller's still if the error is about the options, else it is gone. Blocks only while the
 * queue is full. `options` may be NULL. One thread at a time. */
PINTLE_C_API pintle_status pintle_queue_submit(pintle_queue queue, pintle_list list,
                                               const pintle_submit_options* options, pintle_point* point,
                                               pintle_error* error);
/* The point of the last submission; reached on a fresh queue. One thread at a time. */
PINTLE_C_API pintle_status pintle_queue_last(pintle_queue queue, pintle_point* point, pintle_error* error);
/* Lets go of the queue. Never blocks; its work goes on. Its points name a signal of the queue and are PINTLE_STALE
 * afterwards: take pintle_queue_timeline first to wait longer. Any thread. */
PINTLE_C_API pintle_status pintle_queue_release(pintle_queue queue, pintle_error* error);
/* The queue's timeline as a signal of the caller's, which outlives the queue. Any thread. */
PINTLE_C_API pintle_status pintle_queue_timeline(pintle_queue queue, pintle_signal* signal, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
