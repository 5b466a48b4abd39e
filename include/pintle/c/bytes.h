/* Bytes and texts that the library makes for the caller: a pack as a file, a signature. */
#ifndef PINTLE_C_BYTES_H
#define PINTLE_C_BYTES_H

#include "pintle/c/handles.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pintle_bytes {
  uint64_t id;
} pintle_bytes; /* Bytes in host memory, which never change. */

/* The bytes and their number; either may be NULL. A NUL that is not counted stands behind them, so a text is a string
 * of C. They live as long as the handle. Any thread. */
PINTLE_C_API pintle_status pintle_bytes_data(pintle_bytes bytes, const void** data, size_t* size, pintle_error* error);
/* Frees the bytes. Any thread. */
PINTLE_C_API pintle_status pintle_bytes_release(pintle_bytes bytes, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
