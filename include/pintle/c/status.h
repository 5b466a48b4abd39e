/* Statuses and errors of the C interface, and what holds for all of it.
 *
 * Every function answers a pintle_status and takes a pintle_error* last, which may be NULL. A function that fails has
 * changed nothing, and its outputs are as before, unless its comment says otherwise. Text is UTF-8 and ends in a NUL.
 *
 * A handle is a struct of one uint64_t. Copies of it name one object. The function `..._release` ends the object; a
 * call that is using it on another thread finishes first. A handle of all zeros, one of another kind and made-up bits
 * are PINTLE_INVALID_ARGUMENT; a handle that was released is PINTLE_STALE.
 *
 * Every other struct begins with its size in bytes: `pintle_x x = {.size = sizeof x};` has a default for everything
 * else. A later version of a struct has more members at its end. The library takes a longer struct where what it does
 * not know is zero, and leaves that as it is where it fills one; it takes a shorter one that an earlier version had,
 * and reads and fills no more of it. In an array, every element has the first one's size.
 *
 * Each function's comment says which threads may call it. "Any thread": several at once, also with the same objects.
 * "One thread at a time": several at once with different objects; calls with the same one need an order of the
 * caller's. */
#ifndef PINTLE_C_STATUS_H
#define PINTLE_C_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* Marks what the library exports. */
#define PINTLE_C_API

#ifdef __cplusplus
extern "C" {
#endif

/* What the caller can do about a failure; the numbers are stable. */
typedef int32_t pintle_status;
enum {
  PINTLE_OK = 0,
  PINTLE_INVALID_ARGUMENT = 1,  /* Correct the call; nothing was submitted. */
  PINTLE_UNSUPPORTED = 2,       /* The device cannot do this; ask for its capabilities first. */
  PINTLE_UNAVAILABLE = 3,       /* The device or library is not there; the text has the next step. */
  PINTLE_NOT_FOUND = 4,         /* No such name. */
  PINTLE_OUT_OF_MEMORY = 5,     /* Free something and retry; nothing is poisoned. */
  PINTLE_BUILD_FAILED = 6,      /* The program does not compile or no variant fits; the text has the log. */
  PINTLE_TIMEOUT = 7,           /* The deadline passed; the work goes on. */
  PINTLE_CANCELLED = 8,         /* The work was given up before it ran. */
  PINTLE_DEVICE_LOST = 9,       /* Call pintle_device_recover. */
  PINTLE_PROCESS_POISONED = 10, /* Only a new process can use the device again. */
  PINTLE_PEER_LOST = 11,        /* A rank died or left. */
  PINTLE_STALE = 12,            /* The object was released or belongs to an earlier generation of its device. */
  PINTLE_IO = 13,               /* A file or the operating system refused. */
  PINTLE_INTERNAL = 14          /* A defect in Pintle or a driver; please report it. */
};

/* The explanation of a failure. Begin with PINTLE_ERROR_INIT. A call that fails fills it, and first frees what an
 * earlier failure left in it; a call that succeeds leaves it as it is. The strings live until then, or until
 * pintle_error_free. One thread at a time. */
typedef struct pintle_error {
  uint32_t size;
  pintle_status code;
  const char* text;           /* Everything, in lines: message, vendor and context. */
  const char* message;        /* One sentence with the value, the limit and the object's name. */
  const char* const* context; /* The steps that were under way, innermost first. */
  size_t context_count;
  const char* vendor_library; /* NULL unless a vendor's library reported the failure. */
  const char* vendor_symbol;
  int64_t vendor_number;
  const char* device; /* The id of the device concerned; NULL where none is. */
  uint64_t generation;
  void* owned; /* The library's own. */
} pintle_error;

#ifdef __cplusplus
#define PINTLE_ERROR_INIT \
  {sizeof(pintle_error), 0, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr, 0, nullptr}
#else
#define PINTLE_ERROR_INIT {sizeof(pintle_error), 0, NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL}
#endif

/* Frees what a failure left in `freed` and empties it. NULL does nothing. PINTLE_INVALID_ARGUMENT for a struct of
 * another size; `error` may be NULL, and must not be `freed`. One thread at a time for an error. */
PINTLE_C_API pintle_status pintle_error_free(pintle_error* freed, pintle_error* error);
/* The name of a status, for example "invalid_argument"; "ok" for PINTLE_OK. PINTLE_INVALID_ARGUMENT for a number that
 * is none. The text lives for ever. Any thread. */
PINTLE_C_API pintle_status pintle_status_name(pintle_status status, const char** name, pintle_error* error);
/* The status of a name; PINTLE_OK for "ok". PINTLE_NOT_FOUND lists the names. Any thread. */
PINTLE_C_API pintle_status pintle_status_parse(const char* name, pintle_status* status, pintle_error* error);
/* The version of the library that is loaded, for example "0.1.0". The text lives for ever. Any thread. */
PINTLE_C_API pintle_status pintle_version(const char** version, pintle_error* error);

/* How long a call may block, in nanoseconds. */
enum {
  PINTLE_TIMEOUT_DEFAULT = -1
}; /* The setting PINTLE_TIMEOUT_MS, else 30 s. Other negative numbers are PINTLE_INVALID_ARGUMENT. */
#define PINTLE_TIMEOUT_INFINITE INT64_MAX

/* The nanoseconds that PINTLE_TIMEOUT_DEFAULT stands for. They stay the same while the process lives. Any thread. */
PINTLE_C_API pintle_status pintle_default_timeout(int64_t* nanoseconds, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
