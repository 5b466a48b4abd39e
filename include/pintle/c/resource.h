/* Resources: sources of buffers that stand before one another, each with one idea. A limit stands before a tally, the
 * tally before a pool. Each keeps the one behind it alive, so they are released in any order; a buffer may outlive them
 * all. A buffer counts until it is released or freed, with the bytes of its shape. */
#ifndef PINTLE_C_RESOURCE_H
#define PINTLE_C_RESOURCE_H

#include "pintle/c/buffer.h"
#include "pintle/c/handles.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pintle_resource {
  uint64_t id;
} pintle_resource; /* A source of buffers. */
typedef struct pintle_holder_list {
  uint64_t id;
} pintle_holder_list; /* Buffers that were alive at one moment. */

/* The idea of a resource. */
enum {
  PINTLE_RESOURCE_POOL = 1,   /* Memory that is reused: pintle_pool_resource. */
  PINTLE_RESOURCE_DEVICE = 2, /* An allocation of its own for each buffer: pintle_device_resource. */
  PINTLE_RESOURCE_LIMIT = 3,  /* The functions below make the rest. */
  PINTLE_RESOURCE_LOG = 4,
  PINTLE_RESOURCE_TRACK = 5,
  PINTLE_RESOURCE_TALLY = 6,
  PINTLE_RESOURCE_FAIL = 7,
  PINTLE_RESOURCE_CALLER = 8 /* A function of the caller's: pintle_resource_create. */
};

/* The figures of a resource; those that its kind does not have are 0. */
typedef struct pintle_resource_info {
  uint32_t size;
  uint32_t kind;         /* PINTLE_RESOURCE_... */
  uint64_t limit;        /* Limit: the most bytes. */
  uint64_t in_use;       /* Limit: bytes. */
  uint64_t buffers;      /* Tally: buffers that are alive. */
  uint64_t bytes;        /* Tally: their bytes. */
  uint64_t peak_buffers; /* Tally: the most buffers at one time. */
  uint64_t peak_bytes;   /* Tally: the most bytes at one time. */
  uint64_t all_buffers;  /* Tally: buffers of all requests that were met. */
  uint64_t all_bytes;    /* Tally: bytes of all requests that were met. */
  uint64_t failures;     /* Tally: requests that were refused behind it. */
  uint64_t requests;     /* Fail: requests so far, failed or not. */
} pintle_resource_info;

/* What a resource of the caller's is asked for. It lives as long as the call. */
typedef struct pintle_resource_request {
  uint32_t size;
  uint32_t dtype;     /* PINTLE_F32 ... */
  pintle_queue queue; /* The buffer is for work that is submitted to it from now on. */
  uint64_t rank;      /* Dimensions. */
  const uint64_t* dims;
  const pintle_buffer_options* options; /* Never NULL. */
} pintle_resource_request;

/* A buffer that was alive. The text lives as long as the list. */
typedef struct pintle_holder {
  uint32_t size;
  uint32_t reserved;
  const char* buffer; /* [Buffer 12 "activations"] */
  uint64_t bytes;     /* The bytes that were asked for. */
} pintle_holder;

/* A resource that makes each buffer by an allocation of its own, as pintle_buffer_allocate does. Any thread. */
PINTLE_C_API pintle_status pintle_device_resource(pintle_device device, pintle_resource* resource, pintle_error* error);
/* A resource whose buffers `allocate` makes, by whatever function makes one: it writes the handle to `buffer`, which is
 * the library's from then on, or fills `error` and answers the status of a failure, as pintle_buffer_allocate does. It
 * runs on the thread that allocates, with no lock held; several threads may call it at once. It may allocate from other
 * resources, and must not throw. A handle that names no buffer, and a buffer of another dtype or size, are the
 * PINTLE_INVALID_ARGUMENT of whoever allocates; a handle that was released is PINTLE_STALE. `released` may be NULL;
 * else it is called once with `data` when the resource and all that stand before it are released, on the thread that
 * releases the last one. After an error of this function neither is called. Any thread. */
PINTLE_C_API pintle_status pintle_resource_create(pintle_status (*allocate)(void* data,
                                                                            const pintle_resource_request* request,
                                                                            pintle_buffer* buffer, pintle_error* error),
                                                  void (*released)(void* data), void* data, pintle_resource* resource,
                                                  pintle_error* error);
/* Limits the bytes that are in use at any time. A buffer beyond the limit is PINTLE_OUT_OF_MEMORY, with the bytes
 * requested, in use and the limit; upstream is not asked then. Any thread. */
PINTLE_C_API pintle_status pintle_resource_limit(pintle_resource upstream, uint64_t bytes, pintle_resource* resource,
                                                 pintle_error* error);
/* Calls `log` with one line, without its end, for each buffer that is made, refused or gone, with no lock held, on the
 * thread that makes or releases the buffer; several threads may call it at once. It may be called until the resource,
 * all that stand before it and all buffers that came from it are released. Any thread. */
PINTLE_C_API pintle_status pintle_resource_log(pintle_resource upstream, void (*log)(void* data, const char* line),
                                               void* data, pintle_resource* resource, pintle_error* error);
/* Knows the buffers that are alive: pintle_resource_holders. Any thread. */
PINTLE_C_API pintle_status pintle_resource_track(pintle_resource upstream, pintle_resource* resource,
                                                 pintle_error* error);
/* Counts buffers and their bytes: pintle_resource_get_info. Any thread. */
PINTLE_C_API pintle_status pintle_resource_tally(pintle_resource upstream, pintle_resource* resource,
                                                 pintle_error* error);
/* Answers PINTLE_OUT_OF_MEMORY to chosen requests, for tests of programs that must survive it: to each one whose number
 * is a multiple of `every` (0: none), and to each one after the first `after` (UINT64_MAX: none). The first request is
 * number 1. Any thread. */
PINTLE_C_API pintle_status pintle_resource_fail(pintle_resource upstream, uint64_t every, uint64_t after,
                                                pintle_resource* resource, pintle_error* error);
/* All figures, taken at one moment. Any thread. */
PINTLE_C_API pintle_status pintle_resource_get_info(pintle_resource resource, pintle_resource_info* info,
                                                    pintle_error* error);
/* The buffers that are alive, the largest first. PINTLE_INVALID_ARGUMENT for a resource that does not know them: only a
 * pool and PINTLE_RESOURCE_TRACK do. Any thread. */
PINTLE_C_API pintle_status pintle_resource_holders(pintle_resource resource, pintle_holder_list* list,
                                                   pintle_error* error);
/* Allocates a buffer for work that is submitted to the queue from now on; other queues wait for its last point before
 * they use it. Its contents are undefined unless the resource says otherwise. `options` may be NULL. The errors are
 * those of the resources behind. One thread at a time for a queue. */
PINTLE_C_API pintle_status pintle_resource_allocate(pintle_resource resource, pintle_queue queue, uint32_t dtype,
                                                    size_t rank, const uint64_t* dims,
                                                    const pintle_buffer_options* options, pintle_buffer* buffer,
                                                    pintle_error* error);
/* Lets go of the resource. What stands before it and its buffers keep what they need. Any thread. */
PINTLE_C_API pintle_status pintle_resource_release(pintle_resource resource, pintle_error* error);

/* The number of buffers in a list. Any thread. */
PINTLE_C_API pintle_status pintle_holder_list_count(pintle_holder_list list, size_t* count, pintle_error* error);
/* A buffer of a list. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_holder_list_holder(pintle_holder_list list, size_t index, pintle_holder* holder,
                                                     pintle_error* error);
/* Ends the list and its strings. Any thread. */
PINTLE_C_API pintle_status pintle_holder_list_release(pintle_holder_list list, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
