/* Signals and points: the one ordering primitive. A signal is a 64-bit number that only rises, or fails. A point is a
 * value of it. */
#ifndef PINTLE_C_SIGNAL_H
#define PINTLE_C_SIGNAL_H

#include "pintle/c/handles.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A moment on a signal's timeline: it is reached when the signal reaches the value. */
typedef struct pintle_point {
  uint32_t size;
  uint32_t reserved;
  pintle_signal signal;
  uint64_t value;
} pintle_point;

/* Makes a signal that starts at `initial`. `label` may be NULL. Any thread. */
PINTLE_C_API pintle_status pintle_signal_create(uint64_t initial, const char* label, pintle_signal* signal,
                                                pintle_error* error);
/* The value reached so far. Any thread. */
PINTLE_C_API pintle_status pintle_signal_value(pintle_signal signal, uint64_t* value, pintle_error* error);
/* Raises the value from the host. PINTLE_INVALID_ARGUMENT for a lower value and for a queue's timeline. Any thread. */
PINTLE_C_API pintle_status pintle_signal_set(pintle_signal signal, uint64_t value, pintle_error* error);
/* Fails the signal with this status and message: every wait for a value beyond the one reached gets them. Only the
 * first failure counts. PINTLE_INVALID_ARGUMENT for a queue's timeline and for PINTLE_OK. Any thread. */
PINTLE_C_API pintle_status pintle_signal_fail(pintle_signal signal, pintle_status code, const char* message,
                                              pintle_error* error);
/* The first failure of the signal: fills `failure` as a call that fails with it, or empties it where the signal has not
 * failed, and `failure->code` is PINTLE_OK then. Never blocks. The caller frees it; it must not be `error`. Any thread.
 */
PINTLE_C_API pintle_status pintle_signal_failure(pintle_signal signal, pintle_error* failure, pintle_error* error);
/* Lets go of the signal. Work that waits for it or raises it keeps it. PINTLE_INVALID_ARGUMENT for the signal of a
 * queue's points. Any thread. */
PINTLE_C_API pintle_status pintle_signal_release(pintle_signal signal, pintle_error* error);

/* Whether the point is reached; never blocks. A point that has failed answers its failure. Any thread. */
PINTLE_C_API pintle_status pintle_point_is_reached(const pintle_point* point, uint32_t* is_reached,
                                                   pintle_error* error);
/* Blocks until the point is reached, or for `timeout` nanoseconds. PINTLE_TIMEOUT names the queue, the value awaited
 * and the value reached. PINTLE_INVALID_ARGUMENT inside a callback. Any thread. */
PINTLE_C_API pintle_status pintle_point_wait(const pintle_point* point, int64_t timeout, pintle_error* error);
/* Calls `callback` exactly once, with PINTLE_OK, the failure, or PINTLE_TIMEOUT after `timeout` nanoseconds; `failure`
 * is NULL where there is none, and lives until the callback returns. It runs on a thread of the library's, or inside
 * pintle_device_poll, with no lock held. It must not wait for points, and must not throw: an exception that leaves it
 * ends the process. After an error of this function it is not called. Any thread. */
PINTLE_C_API pintle_status pintle_point_then(const pintle_point* point,
                                             void (*callback)(void* data, pintle_status status,
                                                              const pintle_error* failure),
                                             void* data, int64_t timeout, pintle_error* error);
/* A file descriptor that becomes readable when the point is reached, fails or `timeout` nanoseconds have passed; ask
 * pintle_point_is_reached then. An eventfd, for poll, epoll and event loops. The caller closes it, at any time.
 * PINTLE_IO where the process has no descriptor left. Any thread. */
PINTLE_C_API pintle_status pintle_point_eventfd(const pintle_point* point, int64_t timeout, int* descriptor,
                                                pintle_error* error);
/* Blocks until every point is reached. The first failure is the answer. Returns at once for no points. Any thread. */
PINTLE_C_API pintle_status pintle_points_wait_all(const pintle_point* points, size_t count, int64_t timeout,
                                                  pintle_error* error);
/* Blocks until one point is reached, and answers its index. PINTLE_INVALID_ARGUMENT for no points. Any thread. */
PINTLE_C_API pintle_status pintle_points_wait_any(const pintle_point* points, size_t count, int64_t timeout,
                                                  size_t* index, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
