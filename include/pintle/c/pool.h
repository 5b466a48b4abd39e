/* Pools: device memory that is reused in the order of queues, without asking the device and without waiting. The memory
 * of a buffer that is given back is used again at once by work that comes after the buffer's last use: by later work of
 * the same queue, or of a queue whose submissions wait for a point at or after that use. */
#ifndef PINTLE_C_POOL_H
#define PINTLE_C_POOL_H

#include "pintle/c/buffer.h"
#include "pintle/c/bytes.h"
#include "pintle/c/handles.h"
#include "pintle/c/resource.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pintle_pool {
  uint64_t id;
} pintle_pool; /* Device memory that is reused. */

/* How a pool treats memory before it hands it out. */
enum {
  PINTLE_SCRUB_NONE = 1, /* Leaves it alone: a buffer begins with the bytes of the one before. */
  PINTLE_SCRUB_ZEROS = 2 /* Fills it with zeros by a submission of its own to the queue. */
};

/* The figures of a request that a pool has no memory for, in bytes. */
typedef struct pintle_pool_exhaustion {
  uint32_t size;
  uint32_t reserved;
  uint64_t requested;
  uint64_t in_use;
  uint64_t held;         /* Taken from the device. */
  uint64_t cap;          /* The most that `held` may be; UINT64_MAX: there is none. */
  uint64_t largest_free; /* The largest piece that a request could get. */
} pintle_pool_exhaustion;

/* How a pool takes memory, and when it gives up. */
typedef struct pintle_pool_options {
  uint32_t size;
  uint32_t placement; /* 0: PINTLE_PLACEMENT_DEVICE. */
  uint32_t scrub;     /* 0: PINTLE_SCRUB_NONE. */
  uint32_t reserved;
  uint64_t cap;   /* The most bytes that the pool holds from the device at any time; 0: there is no cap. */
  uint64_t block; /* The least bytes that it takes at a time, the first at the first request; 0: 2 MiB. */
  /* Nanoseconds that a request waits, where it finds nothing, for memory that work in flight still uses; 0:
   * PINTLE_TIMEOUT_DEFAULT. One nanosecond is as good as none. */
  int64_t patience;
  /* Called with `data` when nothing is left, with no lock held, until the pool and every resource over it are released.
   * It may release something; 1 makes the pool try the request again, 0 gives up. NULL: gives up. */
  uint32_t (*on_exhausted)(void* data, const pintle_pool_exhaustion* exhaustion);
  void* data;
  const char* label; /* In messages; NULL: none. */
} pintle_pool_options;

/* Bytes and counts of a pool since it was made. */
typedef struct pintle_pool_statistics {
  uint32_t size;
  uint32_t reserved;
  uint64_t in_use;       /* Bytes of buffers that are alive, rounded up to size classes. */
  uint64_t held;         /* Bytes taken from the device. */
  uint64_t high_water;   /* The most bytes that were in use. */
  uint64_t high_held;    /* The most bytes that were held. */
  uint64_t waiting;      /* Bytes given back and not merged yet: their last uses may be unfinished. */
  uint64_t free;         /* Bytes that are merged, free for any size. */
  uint64_t largest_free; /* Bytes of the largest free piece. */
  uint64_t buffers;      /* Buffers that are alive. */
  uint64_t allocations;  /* Requests that were met. */
  uint64_t reuses;       /* Requests met with a piece of the same size class, as it was given back. */
  uint64_t misses;       /* Times that the pool took new memory from the device. */
  uint64_t waits;        /* Times that the host waited for work in flight. */
  double fragmentation;  /* The share of the free bytes that lies outside the largest piece. */
} pintle_pool_statistics;

/* Creates a pool, which belongs to the device's current generation and takes nothing before the first request.
 * `options` may be NULL. PINTLE_INVALID_ARGUMENT for a block beyond the cap. Any thread. */
PINTLE_C_API pintle_status pintle_pool_create(pintle_device device, const pintle_pool_options* options,
                                              pintle_pool* pool, pintle_error* error);
/* Allocates a buffer for work that is submitted to the queue from now on; other queues wait for its last point before
 * they use it. `options` may be NULL; their placement and allocation are the pool's. PINTLE_OUT_OF_MEMORY where neither
 * the device, nor waiting, nor the callback helps: the text has all figures and the largest holders, and nothing is
 * poisoned. PINTLE_INVALID_ARGUMENT for a queue of another device. Blocks for at most the pool's patience. Where the
 * pool scrubs, one thread at a time for a queue. */
PINTLE_C_API pintle_status pintle_pool_allocate(pintle_pool pool, pintle_queue queue, uint32_t dtype, size_t rank,
                                                const uint64_t* dims, const pintle_buffer_options* options,
                                                pintle_buffer* buffer, pintle_error* error);
/* Gives a buffer back, of a pool or not, and ends its handle; never blocks. Its memory is free for work that comes
 * after everything submitted to this queue so far, and after every submission that names the buffer. A buffer that is
 * released instead waits for the latter alone. Errors about a handle leave the buffer as it is. After any other, such
 * as PINTLE_INVALID_ARGUMENT for a buffer of another device, it is released. One thread at a time. */
PINTLE_C_API pintle_status pintle_queue_free(pintle_queue queue, pintle_buffer buffer, pintle_error* error);
/* Gives unused blocks back to the device while at least `keep` bytes stay held, and answers the bytes given back.
 * `bytes` may be NULL. Any thread. */
PINTLE_C_API pintle_status pintle_pool_trim(pintle_pool pool, uint64_t keep, uint64_t* bytes, pintle_error* error);
/* The figures of the pool, taken at one moment. Any thread. */
PINTLE_C_API pintle_status pintle_pool_get_statistics(pintle_pool pool, pintle_pool_statistics* statistics,
                                                      pintle_error* error);
/* The buffers that are alive, the largest first. Any thread. */
PINTLE_C_API pintle_status pintle_pool_holders(pintle_pool pool, pintle_holder_list* list, pintle_error* error);
/* The statistics and the holders, for people to read. Any thread. */
PINTLE_C_API pintle_status pintle_pool_text(pintle_pool pool, pintle_bytes* text, pintle_error* error);
/* The pool as a resource, so that others can stand before it. It keeps the pool alive. Any thread. */
PINTLE_C_API pintle_status pintle_pool_resource(pintle_pool pool, pintle_resource* resource, pintle_error* error);
/* Lets go of the pool. Its buffers live on; its memory goes back to the device when they are gone. Any thread. */
PINTLE_C_API pintle_status pintle_pool_release(pintle_pool pool, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
