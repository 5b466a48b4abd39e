/* Symmetric memory: each rank of a group has a piece of it, with the same offsets. Put, get, signals, and points. */
#ifndef PINTLE_C_SYMMETRIC_H
#define PINTLE_C_SYMMETRIC_H

#include "pintle/c/buffer.h"
#include "pintle/c/group.h"
#include "pintle/c/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rank's part of memory that a whole group has. Some functions are collective: every rank calls the same ones in the
 * same order, and they end alike on all ranks. Calls that differ are PINTLE_INVALID_ARGUMENT on every rank, with both
 * calls; PINTLE_TIMEOUT and PINTLE_PEER_LOST name a rank, and the group has failed then. A handle or a pointer that is
 * wrong is refused on its rank alone, and the other ranks wait for it. One thread at a time, the one of the group, for
 * each function here: while another thread or a group queue has the group, collective calls and waits for signals are
 * PINTLE_INVALID_ARGUMENT. */
typedef struct pintle_symmetric_heap {
  uint64_t id;
} pintle_symmetric_heap;
/* A range of a heap, the same on every rank. The handle ends when the range is freed, and with its heap. */
typedef struct pintle_symmetric_buffer {
  uint64_t id;
} pintle_symmetric_buffer;
/* Signals of a heap: 64-bit words on every rank, which only rise. The handle ends when they are freed, and with their
 * heap. */
typedef struct pintle_symmetric_signals {
  uint64_t id;
} pintle_symmetric_signals;

/* Where a device has its rank's piece. */
enum {
  PINTLE_RESIDENCE_HOST = 1,     /* There is no device. */
  PINTLE_RESIDENCE_IN_PLACE = 2, /* The device uses the piece itself, so it reads what other ranks put there. */
  PINTLE_RESIDENCE_STAGED = 3    /* The device has a copy of its own, as new as the last ..._to_device. */
};

/* How a heap is made. */
typedef struct pintle_symmetric_options {
  uint32_t size;
  uint32_t reserved;
  const char* label;    /* In messages; NULL: none. */
  int64_t timeout;      /* Nanoseconds that the ranks have to come; 0: PINTLE_TIMEOUT_DEFAULT. */
  pintle_device device; /* The device that uses this rank's piece; empty: none. */
} pintle_symmetric_options;

/* What a heap is, on this rank. The text lives as long as the heap. */
typedef struct pintle_symmetric_heap_info {
  uint32_t size;
  uint32_t rank;
  uint32_t ranks;
  uint32_t residence;           /* PINTLE_RESIDENCE_... */
  const char* residence_detail; /* The reason for PINTLE_RESIDENCE_STAGED; else empty. */
  uint64_t bytes;               /* The size of each rank's piece. */
  uint64_t free;                /* Bytes that are not allocated. */
  uint64_t largest;             /* Bytes that one allocation can have now. */
} pintle_symmetric_heap_info;

/* What a symmetric buffer is. */
typedef struct pintle_symmetric_buffer_info {
  uint32_t size;
  uint32_t dtype;  /* PINTLE_F32 ... */
  uint64_t offset; /* Bytes from the start of each rank's piece. */
  uint64_t bytes;
  uint32_t rank; /* Dimensions. */
  uint32_t reserved;
  uint64_t dims[8]; /* Outermost first. */
} pintle_symmetric_buffer_info;

/* A part of a symmetric buffer in the piece of one rank: whole elements. */
typedef struct pintle_symmetric_view {
  uint32_t size;
  uint32_t rank;
  pintle_symmetric_buffer buffer;
  uint64_t offset; /* Bytes from the buffer's first. */
  uint64_t bytes;  /* 0: up to the buffer's end. */
} pintle_symmetric_view;

/* Collective. Makes a heap of `bytes` bytes on each rank. `options` may be NULL. PINTLE_INVALID_ARGUMENT, with the rank
 * and both sizes, where one rank asks for another number. A failure on one rank is the same error on every rank. One
 * thread at a time for the group. */
PINTLE_C_API pintle_status pintle_symmetric_heap_create(pintle_rank_group group, uint64_t bytes,
                                                        const pintle_symmetric_options* options,
                                                        pintle_symmetric_heap* heap, pintle_error* error);
/* What the heap is, on this rank. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_get_info(pintle_symmetric_heap heap, pintle_symmetric_heap_info* info,
                                                          pintle_error* error);
/* Collective. Allocates `dim_count` dimensions at the same offset on every rank, a multiple of at least 64 bytes, with
 * undefined contents. PINTLE_OUT_OF_MEMORY has the size, the free bytes and the largest piece. A dtype or shape that is
 * wrong on one rank is the error of every rank. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_allocate(pintle_symmetric_heap heap, uint32_t dtype, size_t dim_count,
                                                          const uint64_t* dims, int64_t timeout,
                                                          pintle_symmetric_buffer* buffer, pintle_error* error);
/* Collective. Blocks until the asynchronous forms of this rank are done and every rank has come; the memory is free
 * then, and the handle is PINTLE_STALE. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_free(pintle_symmetric_heap heap, pintle_symmetric_buffer buffer,
                                                      int64_t timeout, pintle_error* error);
/* Collective. Allocates `count` signals: words on every rank, all 0. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_allocate_signals(pintle_symmetric_heap heap, uint64_t count,
                                                                  int64_t timeout, pintle_symmetric_signals* signals,
                                                                  pintle_error* error);
/* Collective. Frees signals, as pintle_symmetric_heap_free does a buffer. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_free_signals(pintle_symmetric_heap heap,
                                                              pintle_symmetric_signals signals, int64_t timeout,
                                                              pintle_error* error);
/* What the buffer is. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_buffer_get_info(pintle_symmetric_buffer buffer,
                                                            pintle_symmetric_buffer_info* info, pintle_error* error);
/* This rank's own bytes of the buffer, where other ranks put theirs. Nothing is copied. They live until the buffer is
 * freed. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_local(pintle_symmetric_heap heap, pintle_symmetric_buffer buffer,
                                                       void** data, pintle_error* error);

/* Writes `bytes` bytes, which are exactly the view's, to the piece of a rank. The caller may reuse `from` on return.
 * The bytes are there after a flush, a barrier, or a put_signal to that rank. There is no order among ranks: to read
 * what another rank has put, wait for its signal, or for a barrier. PINTLE_INVALID_ARGUMENT, with nothing written, for
 * host memory that does not fit or overlaps the range on the other side, and for a rank beyond the group; here and
 * below. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_put(pintle_symmetric_heap heap, const pintle_symmetric_view* to,
                                                     const void* from, size_t bytes, pintle_error* error);
/* Reads from the piece of a rank; done on return. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_get(pintle_symmetric_heap heap, void* to, size_t bytes,
                                                     const pintle_symmetric_view* from, pintle_error* error);
/* Writes as pintle_symmetric_heap_put does, then raises signal `index` of that rank to `value`, and never the other way
 * round: a thread that has seen the signal sees these bytes, and all that were put to that rank before. A value that is
 * not above the signal's changes nothing. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_put_signal(pintle_symmetric_heap heap, const pintle_symmetric_view* to,
                                                            const void* from, size_t bytes,
                                                            pintle_symmetric_signals signals, uint64_t index,
                                                            uint64_t value, pintle_error* error);
/* Raises signal `index` of a rank to `value`, without any bytes. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_raise(pintle_symmetric_heap heap, pintle_symmetric_signals signals,
                                                       uint64_t index, uint32_t rank, uint64_t value,
                                                       pintle_error* error);

/* The asynchronous forms. One thread of the heap runs them, in the order in which they were called. Each begins when
 * every point of `options->after` is reached; `options->timeout` bounds that wait, from the call on. `options` and
 * `point` may be NULL. The point is reached when the bytes are there: of a get, in `to`; it names a signal of the heap
 * and is PINTLE_STALE once the heap is released. The host memory is lent until the point is reached or fails. Once one
 * form has failed, those behind it fail too; pintle_symmetric_heap_flush answers the first cause and begins afresh. The
 * forms above do not wait for these. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_put_async(pintle_symmetric_heap heap, const pintle_symmetric_view* to,
                                                           const void* from, size_t bytes,
                                                           const pintle_submit_options* options, pintle_point* point,
                                                           pintle_error* error);
/* The asynchronous form of pintle_symmetric_heap_get. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_get_async(pintle_symmetric_heap heap, void* to, size_t bytes,
                                                           const pintle_symmetric_view* from,
                                                           const pintle_submit_options* options, pintle_point* point,
                                                           pintle_error* error);
/* The asynchronous form of pintle_symmetric_heap_put_signal. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_put_signal_async(pintle_symmetric_heap heap,
                                                                  const pintle_symmetric_view* to, const void* from,
                                                                  size_t bytes, pintle_symmetric_signals signals,
                                                                  uint64_t index, uint64_t value,
                                                                  const pintle_submit_options* options,
                                                                  pintle_point* point, pintle_error* error);

/* Blocks until this rank's word of signal `index` is at least `value`, or for `timeout` nanoseconds. A timeout fails
 * nothing: wait again. PINTLE_PEER_LOST where the rank at `from`, which is to raise the signal, is lost; where any rank
 * is lost if `from` is NULL. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_wait_signal(pintle_symmetric_heap heap,
                                                             pintle_symmetric_signals signals, uint64_t index,
                                                             uint64_t value, const uint32_t* from, int64_t timeout,
                                                             pintle_error* error);
/* The value of this rank's word of signal `index` now. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_signal_value(pintle_symmetric_heap heap,
                                                              pintle_symmetric_signals signals, uint64_t index,
                                                              uint64_t* value, pintle_error* error);
/* Orders the puts of this rank: every rank sees what was put before the fence before it sees what is put after. Blocks
 * until the asynchronous forms of this rank are done. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_fence(pintle_symmetric_heap heap, int64_t timeout,
                                                       pintle_error* error);
/* Blocks until everything that this rank has put is there, and its asynchronous forms are done. One thread at a time.
 */
PINTLE_C_API pintle_status pintle_symmetric_heap_flush(pintle_symmetric_heap heap, int64_t timeout,
                                                       pintle_error* error);
/* Collective. Flushes on every rank, and blocks until all ranks have come. A flush that fails on one rank is the error
 * of every rank. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_barrier(pintle_symmetric_heap heap, int64_t timeout,
                                                         pintle_error* error);

/* The device's bytes of a buffer: the piece itself in place, the device's copy where staged. Points order work on it.
 * The view's buffer is the heap's: it ends with the symmetric buffer, and only views name it. PINTLE_INVALID_ARGUMENT
 * without a device. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_on_device(pintle_symmetric_heap heap, pintle_symmetric_buffer buffer,
                                                           pintle_view* view, pintle_error* error);
/* Submits to a queue of that device the update of the device's bytes from this rank's piece: a copy where staged,
 * nothing but the order in place. The view's rank is this one. The caller must not write the bytes in the piece before
 * the point is reached. `options` and `point` may be NULL. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_to_device(pintle_symmetric_heap heap,
                                                           const pintle_symmetric_view* range, pintle_queue queue,
                                                           const pintle_submit_options* options, pintle_point* point,
                                                           pintle_error* error);
/* Submits the update of this rank's piece from the device's bytes. The caller must not use the bytes in the piece
 * before the point is reached. Otherwise as above. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_from_device(pintle_symmetric_heap heap,
                                                             const pintle_symmetric_view* range, pintle_queue queue,
                                                             const pintle_submit_options* options, pintle_point* point,
                                                             pintle_error* error);
/* Concerns this rank only. Asynchronous forms that have not begun are PINTLE_CANCELLED; blocks while one of them
 * copies. The rank stays in the group while the heap lives. One thread at a time. */
PINTLE_C_API pintle_status pintle_symmetric_heap_release(pintle_symmetric_heap heap, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
