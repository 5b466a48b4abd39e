/* The settings of the library: variables of the environment whose names begin with PINTLE_. They are read once, when
 * the first is asked for, and stay the same while the process lives. */
#ifndef PINTLE_C_SETTINGS_H
#define PINTLE_C_SETTINGS_H

#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pintle_setting_list {
  uint64_t id;
} pintle_setting_list; /* Every setting with its value. */

/* One setting. The strings live for ever. */
typedef struct pintle_setting {
  uint32_t size;
  uint32_t reserved;
  const char* name;    /* "PINTLE_TIMEOUT_MS" */
  const char* value;   /* What holds; one that is not valid is shown as it is. */
  const char* source;  /* "environment" or "default" */
  const char* meaning; /* "default deadline of every wait, in milliseconds" */
  const char* valid;   /* The values that it takes: "1 to 86400000" */
} pintle_setting;

/* Lists every setting, also where one has a value that is not valid: what opens a device refuses that. Any thread. */
PINTLE_C_API pintle_status pintle_settings(pintle_setting_list* list, pintle_error* error);
/* The number of settings in a list. Any thread. */
PINTLE_C_API pintle_status pintle_setting_list_count(pintle_setting_list list, size_t* count, pintle_error* error);
/* A setting of a list. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_setting_list_setting(pintle_setting_list list, size_t index, pintle_setting* setting,
                                                       pintle_error* error);
/* Ends the list. The strings of its settings stay. Any thread. */
PINTLE_C_API pintle_status pintle_setting_list_release(pintle_setting_list list, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
