/* Log messages of the library, through one callback of the process; silent by default. With the setting PINTLE_LOG and
 * no callback, messages go to standard error. */
#ifndef PINTLE_C_LOG_H
#define PINTLE_C_LOG_H

#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The level of a message, the gravest first. */
enum { PINTLE_LOG_ERROR = 1, PINTLE_LOG_WARN = 2, PINTLE_LOG_INFO = 3, PINTLE_LOG_DEBUG = 4 };

/* Calls `callback` for each message of the levels from PINTLE_LOG_ERROR to `most_verbose`, in the place of the callback
 * before. It runs on the thread that has the message, which may hold locks of the library: it must not call Pintle, and
 * must not wait for a thread that does. One call at a time; other threads with a message wait for it. `category` is the
 * part of the library, for example "core"; the texts live until the callback returns.
 *
 * Blocks while the callback before is running. When this function returns, that callback has returned for the last
 * time, and its `data` may be freed. PINTLE_INVALID_ARGUMENT inside a callback. */
PINTLE_C_API pintle_status pintle_log_set_callback(void (*callback)(void* data, uint32_t level, const char* category,
                                                                    const char* message),
                                                   void* data, uint32_t most_verbose, pintle_error* error);
/* Makes the log as it was before the first callback: silent, or what PINTLE_LOG says. Otherwise as above. */
PINTLE_C_API pintle_status pintle_log_clear_callback(pintle_error* error);
/* The name of a level: "error", "warn", "info" or "debug". PINTLE_INVALID_ARGUMENT for a number that is none. The text
 * lives for ever. */
PINTLE_C_API pintle_status pintle_log_level_name(uint32_t level, const char** name, pintle_error* error);
/* The level of a name. PINTLE_NOT_FOUND where there is none. */
PINTLE_C_API pintle_status pintle_log_level_parse(const char* name, uint32_t* level, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
