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
 * before. It runs on a thread of the library's, which has nothing else to do, with no lock held: it may call every
 * function. One call at a time, in the order of the messages, each some time after its message. `category` is the part
 * of the library, for example "core"; the texts live until the callback returns. What the callback's own calls have to
 * say on its thread is left out. 4,096 messages may wait for the callback. What comes beyond that, or finds no memory,
 * is lost, and a message of the category "log" says how many were. Those that wait when the process ends are lost, too.
 *
 * Blocks until the callback before has had the messages that wait for it, and has returned for the last time: its
 * `data` may be freed then. PINTLE_TIMEOUT where that takes longer than PINTLE_TIMEOUT_DEFAULT: the new callback is
 * there, and the one before may still run. Inside a callback it does not block: the messages that wait go to the new
 * one, and the one before is not called again once it has returned. PINTLE_UNAVAILABLE in a child after fork, where no
 * callback is called, and where the system refuses the thread. Any thread, but none that the callback waits for. */
PINTLE_C_API pintle_status pintle_log_set_callback(void (*callback)(void* data, uint32_t level, const char* category,
                                                                    const char* message),
                                                   void* data, uint32_t most_verbose, pintle_error* error);
/* Makes the log as it was before the first callback: silent, or what PINTLE_LOG says. Inside a callback the messages
 * that wait are lost. Otherwise as above. Any thread, but none that the callback waits for. */
PINTLE_C_API pintle_status pintle_log_clear_callback(pintle_error* error);
/* The name of a level: "error", "warn", "info" or "debug". PINTLE_INVALID_ARGUMENT for a number that is none. The text
 * lives for ever. Any thread. */
PINTLE_C_API pintle_status pintle_log_level_name(uint32_t level, const char** name, pintle_error* error);
/* The level of a name. PINTLE_NOT_FOUND where there is none. Any thread. */
PINTLE_C_API pintle_status pintle_log_level_parse(const char* name, uint32_t* level, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
