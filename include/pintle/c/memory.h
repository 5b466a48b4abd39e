/* Buffers over memory that is there already: the caller's, a file, another buffer's. Points alone order accesses: what
 * the host or somebody else does to the bytes comes before a submission, or after its point. */
#ifndef PINTLE_C_MEMORY_H
#define PINTLE_C_MEMORY_H

#include "pintle/c/buffer.h"
#include "pintle/c/handles.h"
#include "pintle/c/list.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How memory of the host is imported. */
typedef struct pintle_import_options {
  uint32_t size;
  uint32_t access;   /* What commands may do: PINTLE_ACCESS_... 0: PINTLE_ACCESS_READ_WRITE. */
  const char* label; /* In messages; NULL: none. */
  /* Called once with `data` when nothing uses the memory any more, on any thread, with no lock held. NULL: nothing. */
  void (*released)(void* data);
  void* data;
} pintle_import_options;

/* Makes a buffer over memory of the caller's, without a copy. The elements begin at `memory`, which has `bytes` bytes
 * and stays valid until `released` is called. `options` may be NULL: then it stays valid until the buffer is released
 * and the last submission that uses it has ended. PINTLE_ACCESS_READ makes a sealed buffer, so nothing writes the
 * memory. After an error `released` is not called. PINTLE_INVALID_ARGUMENT for fewer bytes than the shape has, and for
 * an address that its elements cannot have; PINTLE_UNSUPPORTED where the device cannot use memory of the host in place
 * (PINTLE_FEATURE_HOST_IMPORT), or not at this address. Any thread. */
PINTLE_C_API pintle_status pintle_buffer_import(pintle_device device, void* memory, size_t bytes, uint32_t dtype,
                                                size_t rank, const uint64_t* dims, const pintle_import_options* options,
                                                pintle_buffer* buffer, pintle_error* error);
/* Makes a sealed buffer over a part of a file, from byte `offset` on. The file is mapped into memory, and read when the
 * buffer is used. `label` may be NULL. PINTLE_IO for the file; PINTLE_INVALID_ARGUMENT for a part beyond its end;
 * otherwise as above. A file that is cut short meanwhile kills the process. Any thread. */
PINTLE_C_API pintle_status pintle_buffer_map_file(pintle_device device, const char* path, uint64_t offset,
                                                  uint32_t dtype, size_t rank, const uint64_t* dims, const char* label,
                                                  pintle_buffer* buffer, pintle_error* error);
/* Makes a buffer with the bytes that `buffer` has after everything submitted to the queue so far, by a copy that the
 * queue submits now. Whatever uses the new buffer comes after the copy, on any queue, with no point that says so. Other
 * queues' writes of `buffer` are ordered by points, as for any copy. The new buffer is not sealed. `label` may be NULL.
 * One thread at a time. */
PINTLE_C_API pintle_status pintle_queue_fork(pintle_queue queue, pintle_buffer buffer, const char* label,
                                             pintle_buffer* fork, pintle_error* error);
/* Calls `released` once with `data` when the buffer is released or freed: after its memory has been given back, and
 * after what was kept before. Work in flight may still use the memory then. After an error it is not called. One thread
 * at a time. */
PINTLE_C_API pintle_status pintle_buffer_keep(pintle_buffer buffer, void (*released)(void* data), void* data,
                                              pintle_error* error);
/* PINTLE_OK, or the error of a list that would use the view with this access (PINTLE_ACCESS_...): a view beyond its
 * buffer's end, a buffer that was released, is sealed or belongs to another device, a queue that takes no more
 * submissions. Submits nothing. One thread at a time. */
PINTLE_C_API pintle_status pintle_queue_check(pintle_queue queue, const pintle_view* view, uint32_t access,
                                              pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
