/* The handle of each kind of object. */
#ifndef PINTLE_C_HANDLES_H
#define PINTLE_C_HANDLES_H

#include <stdint.h>

typedef struct pintle_device {
  uint64_t id;
} pintle_device; /* A device that is open. */
typedef struct pintle_device_list {
  uint64_t id;
} pintle_device_list; /* What pintle_devices_list found. */
typedef struct pintle_buffer {
  uint64_t id;
} pintle_buffer; /* Bytes of a device. */
typedef struct pintle_pack {
  uint64_t id;
} pintle_pack; /* Variants of a program, not loaded. */
typedef struct pintle_program {
  uint64_t id;
} pintle_program; /* A program loaded on a device. */
typedef struct pintle_kernel {
  uint64_t id;
} pintle_kernel; /* An entry point of a program. */
typedef struct pintle_list {
  uint64_t id;
} pintle_list; /* Commands that are not submitted yet. */
typedef struct pintle_queue {
  uint64_t id;
} pintle_queue; /* Runs lists in order. */
typedef struct pintle_signal {
  uint64_t id;
} pintle_signal; /* A timeline: a number that only rises. */
typedef struct pintle_recording {
  uint64_t id;
} pintle_recording; /* A list to replay. */

#endif
