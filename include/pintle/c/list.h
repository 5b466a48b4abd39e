/* Lists: commands as values, until they are submitted. They behave as if run one after another. The destination comes
 * first, the source second. A command that is refused answers why, and so does every later use of its list. One thread
 * at a time, for each function here. */
#ifndef PINTLE_C_LIST_H
#define PINTLE_C_LIST_H

#include "pintle/c/buffer.h"
#include "pintle/c/handles.h"
#include "pintle/c/status.h"
#include "pintle/c/texel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What stands in an argument of a kernel. */
enum {
  PINTLE_ARGUMENT_BUFFER = 1, /* The range of `buffer` from byte `offset` on, `bytes` long. */
  PINTLE_ARGUMENT_SCALAR = 2, /* `dtype` and `value`. */
  PINTLE_ARGUMENT_BYTES = 3,  /* `bytes` bytes at `data`: a vector or a struct by value. Lent until the call returns. */
  PINTLE_ARGUMENT_LOCAL = 4,  /* `bytes` elements of scratch memory for each group. */
  PINTLE_ARGUMENT_SLOT = 5,   /* What a replay binds to slot number `offset`, below 1024. */
  PINTLE_ARGUMENT_TARGET = 6, /* `bytes` bytes at `out`, for a download to a slot: of a replay, not of a launch. */
  PINTLE_ARGUMENT_IMAGE = 7,  /* `image`. */
  PINTLE_ARGUMENT_SAMPLER = 8,       /* `sampler`. */
  PINTLE_ARGUMENT_SAMPLED_IMAGE = 9, /* `image` and `sampler`, for a parameter `in: read image2d sampled`. */
  PINTLE_ARGUMENT_TEXEL_BUFFER = 10, /* The range of `buffer`, as above, as texels of `texel`. */
  PINTLE_ARGUMENT_NULL = 11          /* No buffer, for a parameter `mask: optional read f32[]`: of a launch alone. */
};

/* One argument of a kernel. */
typedef struct pintle_argument {
  uint32_t size;
  uint16_t kind;  /* PINTLE_ARGUMENT_... */
  uint16_t dtype; /* A scalar's or a buffer's; 0: the buffer's own. */
  pintle_buffer buffer;
  uint64_t offset; /* Bytes. */
  uint64_t bytes;  /* 0, of a buffer: up to its end. */
  union {
    int64_t i;
    uint64_t u;
    double f64;
    float f32;
    uint16_t f16; /* The bits; bf16 too. */
    const void* data;
    void* out;
    struct {
      uint16_t filter;      /* PINTLE_FILTER_...; 0: PINTLE_FILTER_NEAREST. */
      uint16_t address;     /* PINTLE_ADDRESS_...; 0: PINTLE_ADDRESS_EDGE. */
      uint16_t coordinates; /* PINTLE_COORDINATES_...; 0: PINTLE_COORDINATES_NORMALIZED. */
      uint16_t reserved;
    } sampler;
    uint32_t texel; /* PINTLE_TEXEL_... */
  } value;
  pintle_image image;
} pintle_argument;

/* How a command uses memory. */
enum { PINTLE_ACCESS_READ = 1, PINTLE_ACCESS_WRITE = 2, PINTLE_ACCESS_READ_WRITE = 3 };

/* How much a launch runs: work-items, which are rounded up to whole work-groups, or work-groups. */
typedef struct pintle_extent {
  uint32_t size;
  uint32_t is_groups; /* 1: the counts are work-groups. */
  uint64_t x;
  uint64_t y; /* 0: 1. */
  uint64_t z; /* 0: 1. */
} pintle_extent;

/* Makes an empty list. Any thread. */
PINTLE_C_API pintle_status pintle_list_create(pintle_list* list, pintle_error* error);
/* The number of commands so far. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_size(pintle_list list, size_t* commands, pintle_error* error);
/* Copies bytes between two views of one size that do not overlap. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_copy(pintle_list list, const pintle_view* to, const pintle_view* from,
                                            pintle_error* error);
/* Repeats the element at `value`, which has the dtype of the view, over the view. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_fill(pintle_list list, const pintle_view* to, const void* value,
                                            pintle_error* error);
/* Copies `bytes` bytes into the list now, and to the device when the command runs: the memory may be reused at once.
 * One thread at a time. */
PINTLE_C_API pintle_status pintle_list_upload(pintle_list list, const pintle_view* to, const void* from, size_t bytes,
                                              pintle_error* error);
/* Uploads without a copy into the list: the memory stays valid until `released` is called with `data`, once, on any
 * thread, with no lock held. That is when the bytes have been read and nothing submits or replays the list any more, or
 * when it is released without being submitted. After an error of this function it is not called. One thread at a time.
 */
PINTLE_C_API pintle_status pintle_list_upload_retained(pintle_list list, const pintle_view* to, const void* from,
                                                       size_t bytes, void (*released)(void* data), void* data,
                                                       pintle_error* error);
/* Copies to host memory that is lent until the submission's point is reached or fails; a timeout does not end the loan.
 * One thread at a time. */
PINTLE_C_API pintle_status pintle_list_download(pintle_list list, void* to, size_t bytes, const pintle_view* from,
                                                pintle_error* error);
/* As above, for memory that stays valid until `released` is called with `data`, as of pintle_list_upload_retained: a
 * program that has given up waiting need not keep the memory itself. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_download_retained(pintle_list list, void* to, size_t bytes,
                                                         const pintle_view* from, void (*released)(void* data),
                                                         void* data, pintle_error* error);
/* Uploads from host memory that each replay binds to slot `from`, as PINTLE_ARGUMENT_BYTES. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_upload_slot(pintle_list list, const pintle_view* to, uint32_t from,
                                                   pintle_error* error);
/* Downloads to host memory that each replay binds to slot `to`, as PINTLE_ARGUMENT_TARGET. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_download_slot(pintle_list list, uint32_t to, const pintle_view* from,
                                                     pintle_error* error);
/* Copies from the buffer that each replay binds to slot `from`, which has as many bytes as the view. Slots are below
 * 1024; here and below. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_copy_from_slot(pintle_list list, const pintle_view* to, uint32_t from,
                                                      pintle_error* error);
/* Copies to the buffer that each replay binds to slot `to`, which has as many bytes as the view. One thread at a time.
 */
PINTLE_C_API pintle_status pintle_list_copy_to_slot(pintle_list list, uint32_t to, const pintle_view* from,
                                                    pintle_error* error);
/* Copies between the buffers of two slots, which must not overlap and have one size. PINTLE_INVALID_ARGUMENT for one
 * slot twice. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_copy_slots(pintle_list list, uint32_t to, uint32_t from, pintle_error* error);
/* Repeats the element at `value`, which has this dtype, over the buffer that each replay binds to slot `to`; the buffer
 * has the same dtype. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_fill_slot(pintle_list list, uint32_t to, uint32_t dtype, const void* value,
                                                 pintle_error* error);
/* Launches a kernel. The arguments are checked against its entry. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_launch(pintle_list list, pintle_kernel kernel, const pintle_extent* extent,
                                              const pintle_argument* arguments, size_t count, pintle_error* error);
/* Launches a grid that the device reads from `grid` (three u32: work-groups) when the command runs. Counts beyond those
 * of `most`, which are work-groups, are clamped to it; a count of 0 runs nothing. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_launch_indirect(pintle_list list, pintle_kernel kernel, const pintle_view* grid,
                                                       const pintle_extent* most, const pintle_argument* arguments,
                                                       size_t count, pintle_error* error);
/* As above, with the grid in the 12 bytes that each replay binds to slot `grid`. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_launch_indirect_slot(pintle_list list, pintle_kernel kernel, uint32_t grid,
                                                            const pintle_extent* most, const pintle_argument* arguments,
                                                            size_t count, pintle_error* error);
/* Declares that the launch before also uses `buffer`, which its kernel reaches by address. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_uses(pintle_list list, const pintle_view* buffer, uint32_t access,
                                            pintle_error* error);
/* As above, for the buffer that each replay binds to slot `slot`. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_uses_slot(pintle_list list, uint32_t slot, uint32_t access, pintle_error* error);
/* Keeps the buffer's memory until the submission's point is reached, whatever becomes of the buffer. It is no command.
 * One thread at a time. */
PINTLE_C_API pintle_status pintle_list_holds(pintle_list list, pintle_buffer buffer, pintle_error* error);
/* Runs `function` on a thread of the device's when everything before it is done. It must not wait for points: a wait
 * inside it is PINTLE_INVALID_ARGUMENT. A list that is released without being submitted never calls it, and a recording
 * calls it at each replay. PINTLE_UNSUPPORTED at the submission where the device cannot (PINTLE_FEATURE_HOST_CALL). One
 * thread at a time. */
PINTLE_C_API pintle_status pintle_list_call(pintle_list list, void (*function)(void* data), void* data,
                                            pintle_error* error);
/* Writes the device clock, in ticks, to eight bytes when everything before it is done. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_timestamp(pintle_list list, const pintle_view* to, pintle_error* error);
/* As above, to the eight bytes that each replay binds to slot `to`. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_timestamp_slot(pintle_list list, uint32_t to, pintle_error* error);
/* Orders every command before it before every command after it. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_barrier(pintle_list list, pintle_error* error);
/* Names the next command in traces, timeouts and errors. One thread at a time. */
PINTLE_C_API pintle_status pintle_list_label(pintle_list list, const char* label, pintle_error* error);
/* Throws a list away. A submission and a recording take the list over; it is PINTLE_STALE afterwards. One thread at a
 * time. */
PINTLE_C_API pintle_status pintle_list_release(pintle_list list, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
