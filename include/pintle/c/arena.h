/* Arenas: memory of a device that a plan has laid out. Whole values are fed and read with their dtype. */
#ifndef PINTLE_C_ARENA_H
#define PINTLE_C_ARENA_H

#include "pintle/c/buffer.h"
#include "pintle/c/convert.h"
#include "pintle/c/handles.h"
#include "pintle/c/plan.h"
#include "pintle/c/signal.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that a plan has laid out. Two values that are never in use at one time may share bytes, so a value holds what
 * was last written to it or to one that shares its bytes. A persistent value keeps its contents. */
typedef struct pintle_arena {
  uint64_t id;
} pintle_arena;

/* The dtype and shape of a planned value. A plan knows bytes only. */
typedef struct pintle_arena_value {
  uint32_t size;
  uint32_t dtype;   /* PINTLE_F32 ... */
  const char* name; /* From the library: it lives as long as the arena. */
  uint32_t rank;    /* Dimensions, at most 8. */
  uint32_t reserved;
  uint64_t dims[8]; /* Outermost first. */
} pintle_arena_value;

/* How the chunks of an arena are allocated. */
typedef struct pintle_arena_options {
  uint32_t size;
  uint32_t placement; /* 0: PINTLE_PLACEMENT_DEVICE. */
  const char* label;  /* In messages; NULL: none. */
} pintle_arena_options;

/* The memory that an arena takes from a device, in allocations of the plan's chunks. */
typedef struct pintle_arena_requirements {
  uint32_t size;
  uint32_t reserved;
  uint64_t total;         /* Bytes of all chunks. */
  uint64_t largest_chunk; /* Bytes; 0 for a plan without chunks. */
  uint64_t alignment;     /* Bytes, of each chunk: the largest that a value or a view of the device needs. */
} pintle_arena_requirements;

/* The memory that an arena of the plan would take; nothing is allocated. PINTLE_INVALID_ARGUMENT for a value whose
 * alignment no allocation has: the limit is 4096 bytes. Any thread. */
PINTLE_C_API pintle_status pintle_plan_get_requirements(pintle_plan plan, pintle_device device,
                                                        pintle_arena_requirements* requirements, pintle_error* error);
/* Checks that an arena of the plan can be made now; nothing is allocated. PINTLE_UNSUPPORTED for a chunk beyond the
 * device's largest allocation: plan with `largest_chunk`. PINTLE_OUT_OF_MEMORY where the whole exceeds the free bytes
 * of the roomiest heap. PINTLE_INVALID_ARGUMENT as above, and for an offset that is no multiple of the device's
 * `offset_alignment`. Any thread. */
PINTLE_C_API pintle_status pintle_plan_can_fit(pintle_plan plan, pintle_device device, pintle_error* error);

/* Allocates the chunks, with undefined contents. `values` gives dtypes and shapes, in any order; a planned value that
 * is not among them is bytes (u8). `options` may be NULL. PINTLE_NOT_FOUND for a name that the plan does not have;
 * PINTLE_INVALID_ARGUMENT as for pintle_plan_can_fit, for a name that occurs twice, and for a dtype and shape whose
 * bytes are not exactly the planned ones; PINTLE_UNSUPPORTED for a chunk beyond the device's largest allocation;
 * PINTLE_OUT_OF_MEMORY, and then no chunk is allocated. Any thread. */
PINTLE_C_API pintle_status pintle_arena_create(pintle_device device, pintle_plan plan, const pintle_arena_value* values,
                                               size_t count, const pintle_arena_options* options, pintle_arena* arena,
                                               pintle_error* error);
/* The memory that was allocated. Any thread. */
PINTLE_C_API pintle_status pintle_arena_get_requirements(pintle_arena arena, pintle_arena_requirements* requirements,
                                                         pintle_error* error);
/* The id of a value: its index in the plan. PINTLE_NOT_FOUND for a name that the plan does not have, and for an
 * external value, which has no bytes here. Any thread. */
PINTLE_C_API pintle_status pintle_arena_find(pintle_arena arena, const char* name, uint32_t* id, pintle_error* error);
/* The name, dtype and shape of a value. PINTLE_INVALID_ARGUMENT for an id beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_arena_get_value(pintle_arena arena, uint32_t id, pintle_arena_value* value,
                                                  pintle_error* error);
/* The value's bytes, for commands. The view's buffer is the arena's: it ends with the arena, and only views name it.
 * PINTLE_INVALID_ARGUMENT for an id beyond the end and for a value of 0 bytes; PINTLE_NOT_FOUND for an external value.
 * Any thread. */
PINTLE_C_API pintle_status pintle_arena_view(pintle_arena arena, uint32_t id, pintle_view* view, pintle_error* error);

/* Writes a whole value: after everything submitted to the queue before, and before everything submitted next. `dtype`
 * is that of the elements at `from`; 0: bytes, for any dtype. `how` converts them on the way, in the caller's thread:
 * from `dtype` to the value's; NULL: nothing is converted. `point`, which may be NULL, is reached when the bytes are
 * there. The caller may reuse its memory when the call returns. A value of up to 256 KiB, and any value that the host
 * cannot address, blocks only while the queue is full; a larger one until everything submitted to the queue before is
 * done; both for at most `timeout` nanoseconds. PINTLE_INVALID_ARGUMENT, with nothing written, for one element too many
 * or too few, another dtype, an element beyond the range under PINTLE_OVERFLOW_ERROR, an id beyond the end, and a queue
 * of another device; PINTLE_NOT_FOUND for an external value; PINTLE_TIMEOUT; the failure of the queue. One thread at a
 * time, for the arena and the queue. */
PINTLE_C_API pintle_status pintle_arena_feed(pintle_arena arena, pintle_queue queue, uint32_t id, uint32_t dtype,
                                             const void* from, size_t bytes, const pintle_conversion* how,
                                             int64_t timeout, pintle_point* point, pintle_error* error);
/* Reads a whole value, as it is when everything submitted to the queue before is done. Blocks until then, or for
 * `timeout` nanoseconds. `dtype` is that of the elements at `to`, `bytes` their exact size; `how` converts from the
 * value's dtype to it. On an error nothing is written to `to`, also after a timeout. Otherwise as above. One thread at
 * a time for the queue. */
PINTLE_C_API pintle_status pintle_arena_read(pintle_arena arena, pintle_queue queue, uint32_t id, uint32_t dtype,
                                             void* to, size_t bytes, const pintle_conversion* how, int64_t timeout,
                                             pintle_error* error);
/* Frees the memory, when the last submission that uses it has ended. Never blocks. Its views are PINTLE_STALE. Any
 * thread. */
PINTLE_C_API pintle_status pintle_arena_release(pintle_arena arena, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
