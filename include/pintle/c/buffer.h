/* Buffers: bytes of a device with a dtype and a shape, and views of parts of them. */
#ifndef PINTLE_C_BUFFER_H
#define PINTLE_C_BUFFER_H

#include "pintle/c/handles.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of an element. */
enum {
  PINTLE_BOOL = 1,
  PINTLE_I8 = 2,
  PINTLE_I16 = 3,
  PINTLE_I32 = 4,
  PINTLE_I64 = 5,
  PINTLE_U8 = 6,
  PINTLE_U16 = 7,
  PINTLE_U32 = 8,
  PINTLE_U64 = 9,
  PINTLE_F16 = 10,
  PINTLE_BF16 = 11,
  PINTLE_F32 = 12,
  PINTLE_F64 = 13,
  PINTLE_F8_E4M3FN = 14,
  PINTLE_F8_E5M2 = 15,
  PINTLE_COMPLEX64 = 16 /* Two f32: real, imaginary. */
};

/* The name of a dtype, for example "f32". PINTLE_INVALID_ARGUMENT for a number that is none. The text lives for ever.
 * Any thread. */
PINTLE_C_API pintle_status pintle_dtype_name(uint32_t dtype, const char** name, pintle_error* error);
/* The dtype of a name. PINTLE_NOT_FOUND lists the names. Any thread. */
PINTLE_C_API pintle_status pintle_dtype_parse(const char* name, uint32_t* dtype, pintle_error* error);
/* The bytes of one element. PINTLE_INVALID_ARGUMENT for a number that is none. Any thread. */
PINTLE_C_API pintle_status pintle_dtype_bytes(uint32_t dtype, uint64_t* bytes, pintle_error* error);

/* Where a buffer's memory lies. */
enum { PINTLE_PLACEMENT_DEVICE = 1, PINTLE_PLACEMENT_HOST = 2 };
/* When a buffer gets its memory. */
enum { PINTLE_ALLOCATION_EAGER = 1, PINTLE_ALLOCATION_LAZY = 2 };

/* How a buffer is allocated. */
typedef struct pintle_buffer_options {
  uint32_t size;
  uint32_t placement;  /* 0: PINTLE_PLACEMENT_DEVICE. */
  uint32_t allocation; /* 0: PINTLE_ALLOCATION_EAGER. */
  uint32_t reserved;
  uint64_t alignment; /* Bytes; a power of two, at most 4096. 0: the device's own. */
  const char* label;  /* In messages; NULL: none. */
  /* Nanoseconds that allocating may take where a driver waits for its device, then PINTLE_TIMEOUT; 0:
   * PINTLE_TIMEOUT_DEFAULT. */
  int64_t timeout;
} pintle_buffer_options;

/* What a buffer is. */
typedef struct pintle_buffer_info {
  uint32_t size;
  uint32_t dtype;     /* PINTLE_F32 ... */
  uint64_t bytes;     /* The size of all elements. */
  uint32_t rank;      /* Dimensions. */
  uint32_t is_sealed; /* 1: nothing may write it. */
  uint64_t dims[8];   /* Outermost first. */
} pintle_buffer_info;

/* A part of a buffer. `{sizeof v, 0, buffer}` is all of it. Its range is checked where it is used. */
typedef struct pintle_view {
  uint32_t size;
  uint32_t dtype; /* 0: the buffer's. */
  pintle_buffer buffer;
  uint64_t offset; /* Bytes from the buffer's first. */
  uint64_t bytes;  /* 0: up to the buffer's end. */
} pintle_view;

/* Allocates a buffer with undefined contents. `options` may be NULL. PINTLE_INVALID_ARGUMENT for a size of 0 bytes or
 * beyond the largest allocation; PINTLE_OUT_OF_MEMORY, which poisons nothing. Any thread. */
PINTLE_C_API pintle_status pintle_buffer_allocate(pintle_device device, uint32_t dtype, size_t rank,
                                                  const uint64_t* dims, const pintle_buffer_options* options,
                                                  pintle_buffer* buffer, pintle_error* error);
/* What the buffer is. Any thread. */
PINTLE_C_API pintle_status pintle_buffer_get_info(pintle_buffer buffer, pintle_buffer_info* info, pintle_error* error);
/* The buffer's bytes in the host's memory. Wait for the last command that uses the buffer before you touch them.
 * PINTLE_UNSUPPORTED where the host cannot map the buffer (place it on the host); PINTLE_INVALID_ARGUMENT for a sealed
 * buffer. One thread at a time. */
PINTLE_C_API pintle_status pintle_buffer_map(pintle_buffer buffer, void** data, pintle_error* error);
/* As above, for reading only: of a sealed buffer too. One thread at a time. */
PINTLE_C_API pintle_status pintle_buffer_map_read(pintle_buffer buffer, const void** data, pintle_error* error);
/* Ends one pintle_buffer_map or pintle_buffer_map_read. One thread at a time. */
PINTLE_C_API pintle_status pintle_buffer_unmap(pintle_buffer buffer, pintle_error* error);
/* Seals the buffer for ever: a command that writes it is PINTLE_INVALID_ARGUMENT from now on. One thread at a time. */
PINTLE_C_API pintle_status pintle_buffer_seal(pintle_buffer buffer, pintle_error* error);
/* Frees the buffer, when the last submission that uses it has ended. Never blocks. Any thread. */
PINTLE_C_API pintle_status pintle_buffer_release(pintle_buffer buffer, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
