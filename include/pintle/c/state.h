/* States: named, typed memory that stays on a device, such as weights, a cache, an optimiser's moments. C++ calls one a
 * Handle; in C every object has a handle, so the memory is called what it holds. Messages name it as C++ does:
 * [Handle "kv"]. */
#ifndef PINTLE_C_STATE_H
#define PINTLE_C_STATE_H

#include "pintle/c/buffer.h"
#include "pintle/c/handles.h"
#include "pintle/c/signal.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that outlives plans, programs and queues and, where its `keep` says so, the loss of the device. After
 * pintle_device_recover the state is stale until it is restored, written or renewed. One thread at a time, for each
 * function here. */
typedef struct pintle_state {
  uint64_t id;
} pintle_state;

/* What remains of a state when its device is lost. */
enum {
  PINTLE_KEEP_LOST = 1,        /* Nothing. */
  PINTLE_KEEP_HOST_SHADOW = 2, /* A copy on the host, which a write and a checkpoint refresh. It takes up to three times
                                  the state's bytes there. */
  PINTLE_KEEP_REFILL = 3       /* What `fill` makes again. */
};

/* How a state is kept and allocated. */
typedef struct pintle_state_options {
  uint32_t size;
  uint32_t keep;      /* 0: PINTLE_KEEP_LOST. */
  uint32_t placement; /* 0: PINTLE_PLACEMENT_DEVICE. */
  uint32_t reserved;
  uint64_t alignment; /* Bytes; a power of two, at most 4096. 0: the device's own. */
  /* For PINTLE_KEEP_REFILL: fills all of the bytes, which are zeros before, and answers PINTLE_OK, or the status with
   * which pintle_state_restore then fails. It runs on the thread that restores, and must not use the state or its set.
   * `data` must live as long as the state. */
  pintle_status (*fill)(void* data, void* bytes, size_t size);
  void* data;
} pintle_state_options;

/* What a state is. The name lives as long as the handle. */
typedef struct pintle_state_info {
  uint32_t size;
  uint32_t dtype; /* PINTLE_F32 ... */
  const char* name;
  uint64_t bytes;
  uint64_t generation; /* The device's generation that the memory belongs to. */
  uint32_t keep;       /* PINTLE_KEEP_... */
  uint32_t is_stale;   /* 1: the device is at another generation than the memory. */
  uint32_t rank;       /* Dimensions. */
  uint32_t reserved;
  uint64_t dims[8]; /* Outermost first. */
} pintle_state_info;

/* Allocates the memory. Its contents are undefined until they are written or restored: `fill` is not called here.
 * `options` may be NULL. PINTLE_INVALID_ARGUMENT for a name that no safetensors file can hold (empty, "__metadata__",
 * not UTF-8) and for PINTLE_KEEP_REFILL without `fill`; else as pintle_buffer_allocate. Any thread. */
PINTLE_C_API pintle_status pintle_state_create(pintle_device device, const char* name, uint32_t dtype, size_t rank,
                                               const uint64_t* dims, const pintle_state_options* options,
                                               pintle_state* state, pintle_error* error);
/* What the state is. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_get_info(pintle_state state, pintle_state_info* info, pintle_error* error);

/* The front: the state as it is. The view's buffer is the state's: it ends with the state, only views name it, and it
 * is PINTLE_STALE once the state has other memory after a loss. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_view(pintle_state state, pintle_view* view, pintle_error* error);
/* The back: the state as it will be after pintle_state_flip. The first call allocates it, with undefined contents.
 * PINTLE_STALE for a stale state; else as pintle_buffer_allocate. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_next(pintle_state state, pintle_view* view, pintle_error* error);
/* Exchanges the back and the front, on the host only: nothing is copied, submitted or waited for. Views keep the memory
 * that they had. PINTLE_INVALID_ARGUMENT where there is no back; PINTLE_STALE for a stale state. One thread at a time.
 */
PINTLE_C_API pintle_status pintle_state_flip(pintle_state state, pintle_error* error);

/* Replaces the whole front, after everything submitted to the queue before. The caller may reuse its memory at once.
 * `dtype` is that of the elements at `from`; 0: bytes, for any dtype. PINTLE_INVALID_ARGUMENT, with nothing written,
 * for another dtype or size. A stale state gets memory of the new generation first. With a host shadow the write is a
 * checkpoint as well, and blocks like one. `point`, which may be NULL here and below, is reached when the bytes are
 * there. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_write(pintle_state state, pintle_queue queue, uint32_t dtype, const void* from,
                                              size_t bytes, int64_t timeout, pintle_point* point, pintle_error* error);
/* Copies the front to the host, after everything submitted to the queue before. The copy becomes the shadow when the
 * point is reached, so a loss before that leaves the shadow of before. One copy is on its way at a time: the call
 * blocks while another is, for at most `timeout` nanoseconds. PINTLE_INVALID_ARGUMENT without a host shadow;
 * PINTLE_STALE for a stale state. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_checkpoint(pintle_state state, pintle_queue queue, int64_t timeout,
                                                   pintle_point* point, pintle_error* error);
/* Puts back what is kept: the bytes of the last checkpoint or write whose point was reached, or those that `fill`
 * makes. A stale state gets memory of the new generation, without a back; any other is restored in place. Blocks while
 * a checkpoint is on its way, for at most `timeout` nanoseconds. Where nothing is kept: PINTLE_STALE for a stale state,
 * else PINTLE_INVALID_ARGUMENT. On an error the state is as before. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_restore(pintle_state state, pintle_queue queue, int64_t timeout,
                                                pintle_point* point, pintle_error* error);
/* Gives a stale state memory of the new generation with undefined contents; a shadow stays. Does nothing on any other.
 * One thread at a time. */
PINTLE_C_API pintle_status pintle_state_renew(pintle_state state, pintle_error* error);
/* Ends the handle. The memory is freed, when the last submission that uses it has ended; that of a state in a set stays
 * with the set. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_release(pintle_state state, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
