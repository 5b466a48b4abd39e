/* DLPack: buffers handed to other libraries of this process, and tensors taken from them. The structs are those that
 * DLPack's own dlpack.h declares, which may be included before or after: that of version 1, and that from before it,
 * whose functions have `old` in their names. */
#ifndef PINTLE_C_DLPACK_H
#define PINTLE_C_DLPACK_H

#include "pintle/c/buffer.h"
#include "pintle/c/handles.h"
#include "pintle/c/status.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

#ifdef __cplusplus
extern "C" {
#endif

/* When a tensor's elements are copied to memory of the device. */
enum {
  PINTLE_DLPACK_COPY_ALLOWED = 1, /* Where the device cannot use them in place: the buffer may share them or not. */
  PINTLE_DLPACK_COPY_ALWAYS = 2   /* Always: the buffer shares nothing, and is never sealed. */
};

/* How a tensor is taken. */
typedef struct pintle_dlpack_options {
  uint32_t size;
  uint32_t copy;      /* PINTLE_DLPACK_COPY_...; 0: never. */
  pintle_queue queue; /* Uploads the copy, after everything submitted to it before. Not looked at where `copy` is 0. */
  const char* label;  /* In messages; NULL: none. */
} pintle_dlpack_options;

/* Makes a buffer over a tensor of another library, without a copy: in memory of the host, or of the device itself on
 * cuda (kDLCUDA) and hip (kDLROCM). `options` may be NULL or allow a copy. The tensor is taken over, whatever the
 * answer: on an error its deleter has been called, once, before the return; otherwise it is called on any thread after
 * the last use of the tensor. A read-only tensor makes a sealed buffer.
 *
 * DLPack has no points, so the caller orders the accesses: work that writes the tensor is done before the call; nobody
 * else uses the tensor while commands write the buffer, or writes it while commands read the buffer. A tensor that is
 * copied must not change until the queue's last point is reached. Blocks only while that queue is full; one thread at a
 * time for it.
 *
 * PINTLE_UNSUPPORTED where no copy is allowed and the device cannot use the memory in place, or the elements are not in
 * C order without gaps or not aligned; in any case for memory of another device, for memory of a device that is not in
 * C order, and for an element type or a major version that Pintle does not have. PINTLE_INVALID_ARGUMENT for a tensor
 * without elements, for sizes or addresses that overflow, and for memory of another CUDA context than the device's. */
PINTLE_C_API pintle_status pintle_buffer_from_dlpack(pintle_device device, struct DLManagedTensorVersioned* tensor,
                                                     const pintle_dlpack_options* options, pintle_buffer* buffer,
                                                     pintle_error* error);
/* Takes the struct without version, which does not say whether the tensor may be written: a buffer over it is not
 * sealed. One thread at a time for the queue that copies. */
PINTLE_C_API pintle_status pintle_buffer_from_old_dlpack(pintle_device device, struct DLManagedTensor* tensor,
                                                         const pintle_dlpack_options* options, pintle_buffer* buffer,
                                                         pintle_error* error);
/* Hands out the buffer's own bytes as a tensor, and ends the buffer's handle: in memory of the host where the buffer
 * can be mapped, else of the device, on cuda (kDLCUDA) and hip (kDLROCM). The tensor's deleter releases the buffer. An
 * error leaves the buffer as it is. A sealed buffer gives a read-only tensor. Wait for the last command that uses the
 * buffer first. The errors are those of pintle_buffer_map; where it is PINTLE_UNSUPPORTED, copy. One thread at a
 * time. */
PINTLE_C_API pintle_status pintle_buffer_to_dlpack(pintle_buffer buffer, struct DLManagedTensorVersioned** tensor,
                                                   pintle_error* error);
/* Hands out the struct without version. PINTLE_UNSUPPORTED for a sealed buffer, since the struct cannot say read-only,
 * and for the f8 dtypes. One thread at a time. */
PINTLE_C_API pintle_status pintle_buffer_to_old_dlpack(pintle_buffer buffer, struct DLManagedTensor** tensor,
                                                       pintle_error* error);
/* Copies the view's elements to a tensor in memory of the host that belongs to the receiver alone, from any device: the
 * receiver calls its deleter. All of a buffer keeps its shape; a part has one dimension. Blocks until everything
 * submitted to the queue before is done, or for `timeout` nanoseconds. One thread at a time for the queue. */
PINTLE_C_API pintle_status pintle_view_to_dlpack(const pintle_view* view, pintle_queue queue, int64_t timeout,
                                                 struct DLManagedTensorVersioned** tensor, pintle_error* error);
/* Copies to the struct without version. PINTLE_UNSUPPORTED for the f8 dtypes. One thread at a time for the queue. */
PINTLE_C_API pintle_status pintle_view_to_old_dlpack(const pintle_view* view, pintle_queue queue, int64_t timeout,
                                                     struct DLManagedTensor** tensor, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
