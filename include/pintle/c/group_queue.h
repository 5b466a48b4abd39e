/* Collectives on memory of a device, in a queue: they wait for points, give points, and run beside compute. */
#ifndef PINTLE_C_GROUP_QUEUE_H
#define PINTLE_C_GROUP_QUEUE_H

#include "pintle/c/buffer.h"
#include "pintle/c/group.h"
#include "pintle/c/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a group's operations in order on memory of one device, on a thread of its own. Every rank enqueues the same
 * operations in the same order. Ranks may have devices of different kinds. One thread at a time, for each function
 * here. */
typedef struct pintle_group_queue {
  uint64_t id;
} pintle_group_queue;

/* How a group queue is created. */
typedef struct pintle_group_queue_options {
  uint32_t size;
  uint32_t reserved;
  const char* label; /* In messages; NULL: none. */
} pintle_group_queue_options;

/* Creates a queue, which has the group to itself until it is released or has failed: until then other operations of the
 * group, and a second queue of it, are PINTLE_INVALID_ARGUMENT. `options` may be NULL. The queue takes 4 MiB of host
 * memory. One thread at a time for the group. */
PINTLE_C_API pintle_status pintle_group_queue_create(pintle_rank_group group, pintle_device device,
                                                     const pintle_group_queue_options* options,
                                                     pintle_group_queue* queue, pintle_error* error);
/* Enqueues an operation on memory of the device, and does not wait for it. It writes `to` and reads `from`; one that it
 * does not take is NULL. It begins when every point of `options->after` is reached; `options`, which may be NULL, also
 * has the points to raise. `options->timeout` counts from the end of the operation before, and bounds the waits for
 * these points, for the other ranks and for the device. `point`, which may be NULL, is reached when the result is in
 * the device's memory and what was read may be overwritten.
 *
 * A view with its buffer's dtype is used in place where the host can map the buffer, which then stays mapped; any other
 * view, and one of an arena, a state or a heap, goes through staging memory. Buffers must live until the point; one
 * that is released before fails the operation as PINTLE_STALE, or stays until the point where it is used in place.
 *
 * PINTLE_INVALID_ARGUMENT, with nothing enqueued, for a mistake that this rank can see (sizes, dtypes, ranks, memory of
 * another device, overlap); the first cause, once the queue has failed. A point fails with its operation's error, that
 * of a point that the operation waits for, or the device's. Every later point then fails with the same cause, the group
 * has failed, and other ranks get PINTLE_PEER_LOST. The memory that was being written is undefined then. One thread at
 * a time. */
PINTLE_C_API pintle_status pintle_group_queue_submit(pintle_group_queue queue, const pintle_collective* operation,
                                                     const pintle_view* to, const pintle_view* from,
                                                     const pintle_submit_options* options, pintle_point* point,
                                                     pintle_error* error);
/* The point of the operation that was enqueued last; reached on a fresh queue. One thread at a time. */
PINTLE_C_API pintle_status pintle_group_queue_last(pintle_group_queue queue, pintle_point* point, pintle_error* error);
/* The queue's timeline as a signal of the caller's, which outlives the queue. The queue alone raises it. One thread at
 * a time. */
PINTLE_C_API pintle_status pintle_group_queue_timeline(pintle_group_queue queue, pintle_signal* signal,
                                                       pintle_error* error);
/* Cancels the operations that have not begun or wait for their points (PINTLE_CANCELLED); the group has failed then.
 * Blocks while an operation is among the ranks, for as long as its timeout says. With nothing left to do it does not
 * block, and the group is free again. Its points name a signal of the queue and are PINTLE_STALE afterwards. One thread
 * at a time. */
PINTLE_C_API pintle_status pintle_group_queue_release(pintle_group_queue queue, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
