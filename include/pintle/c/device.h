/* Devices: listing and opening them, what they can do, loss and recovery. */
#ifndef PINTLE_C_DEVICE_H
#define PINTLE_C_DEVICE_H

#include "pintle/c/handles.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of machine behind a device. */
enum {
  PINTLE_DEVICE_CPU = 1,
  PINTLE_DEVICE_DISCRETE_GPU = 2,
  PINTLE_DEVICE_INTEGRATED_GPU = 3,
  PINTLE_DEVICE_ACCELERATOR = 4,
  PINTLE_DEVICE_SOFTWARE = 5, /* A GPU API that runs on the host's processor. */
  PINTLE_DEVICE_SIMULATED = 6 /* Executes nothing. */
};

/* How a device supports a feature. */
enum { PINTLE_SUPPORT_NATIVE = 1, PINTLE_SUPPORT_EMULATED = 2, PINTLE_SUPPORT_ABSENT = 3 };

/* Optional abilities of a device. */
enum {
  PINTLE_FEATURE_EXECUTION = 1,
  PINTLE_FEATURE_COPY_QUEUE = 2,
  PINTLE_FEATURE_HOST_CALL = 3,
  PINTLE_FEATURE_TIMESTAMP = 4,
  PINTLE_FEATURE_INDIRECT = 5,
  PINTLE_FEATURE_MAPPED_MEMORY = 6,
  PINTLE_FEATURE_RECORDING = 7,
  PINTLE_FEATURE_NOTIFICATION = 8,
  PINTLE_FEATURE_HOST_IMPORT = 9,
  PINTLE_FEATURE_MEMORY_EXPORT = 10,
  PINTLE_FEATURE_CALIBRATION = 11,
  PINTLE_FEATURE_CONSTANTS = 12,
  PINTLE_FEATURE_LOCAL_ARGUMENTS = 13,
  PINTLE_FEATURE_FLOAT_ATOMICS = 14,
  PINTLE_FEATURE_BOUNDS = 15,
  PINTLE_FEATURE_IMAGES = 16,
  PINTLE_FEATURE_TEXEL_BUFFERS = 17,
  PINTLE_FEATURE_IMMEDIATES = 18,
  PINTLE_FEATURE_SUBGROUPS = 19,
  PINTLE_FEATURE_SUBGROUP_MATRICES = 20,
  PINTLE_FEATURE_OPTIONAL_BUFFERS = 21
};

/* The facts about a device. The strings live as long as the handle that they were asked of. */
typedef struct pintle_device_info {
  uint32_t size;
  uint32_t kind;             /* PINTLE_DEVICE_... */
  const char* id;            /* "cpu", "vulkan:0", "trace(cpu)": pintle_device_open takes it. */
  const char* backend;       /* "cpu" */
  const char* uuid;          /* Empty where the driver gives none. */
  const char* name;          /* "AMD EPYC 7763" */
  const char* driver;        /* The driver's name and version. */
  const char* target;        /* What native code is built for: "x86_64-linux". */
  uint64_t max_allocation;   /* Bytes of one buffer. */
  uint64_t max_binding;      /* Bytes of one kernel argument's range. */
  uint32_t offset_alignment; /* Bytes: the offset of a kernel argument is a multiple of it. */
  uint32_t max_groups[3];    /* Work-groups of a launch. */
  uint32_t max_group[3];     /* Work-items of a group, by dimension. */
  uint32_t max_group_items;  /* Work-items of a group in all. */
  uint32_t max_local_bytes;  /* Bytes of scratch memory of a group. */
  uint32_t max_buffers;      /* Buffers that a kernel takes. */
  uint32_t max_scalar_bytes; /* Bytes of the scalars that a kernel takes. */
  uint32_t max_in_flight;    /* Unfinished submissions of one queue; a submission waits for room. */
  uint32_t min_subgroup;     /* Work-items of a subgroup. */
  uint32_t max_subgroup;
  uint32_t is_driven;          /* 1: only a thread that submits, waits or polls makes progress. */
  double nanoseconds_per_tick; /* A tick of the device clock, which timestamps read. */
} pintle_device_info;

/* Why a backend has no device here. The strings live as long as the list. */
typedef struct pintle_absence {
  uint32_t size;
  uint32_t reserved;
  const char* backend;
  const char* reason;    /* The path that was tried, and the loader's words. */
  const char* next_step; /* What to do about it. */
} pintle_absence;

/* How a device supports one feature. The text lives as long as the device. */
typedef struct pintle_capability {
  uint32_t size;
  uint32_t support;   /* PINTLE_SUPPORT_... */
  const char* detail; /* Emulated: how, and at what cost. Absent: why. */
} pintle_capability;

typedef struct pintle_heap_list {
  uint64_t id;
} pintle_heap_list; /* The memory of a device at one moment. */

/* Memory that a device allocates from, at one moment. The strings live as long as the list. */
typedef struct pintle_heap {
  uint32_t size;
  uint32_t is_available_known; /* 0: `available` is not known, and 0. */
  const char* name;
  uint64_t total;     /* Bytes. */
  uint64_t available; /* Bytes that are free for this process, as far as the driver tells. */
  uint64_t used;      /* Bytes that this device holds. */
  const char* source; /* Where the figures come from: "/proc/meminfo", "VK_EXT_memory_budget". */
} pintle_heap;

/* The name of a kind of device (PINTLE_DEVICE_...), for example "discrete_gpu". PINTLE_INVALID_ARGUMENT for a number
 * that is none. The text lives for ever; here and below. Any thread. */
PINTLE_C_API pintle_status pintle_device_kind_name(uint32_t kind, const char** name, pintle_error* error);
/* The kind of a name. PINTLE_NOT_FOUND lists the names; here and below. Any thread. */
PINTLE_C_API pintle_status pintle_device_kind_parse(const char* name, uint32_t* kind, pintle_error* error);
/* The name of a feature (PINTLE_FEATURE_...), for example "host_call". Any thread. */
PINTLE_C_API pintle_status pintle_feature_name(uint32_t feature, const char** name, pintle_error* error);
/* The feature of a name. Any thread. */
PINTLE_C_API pintle_status pintle_feature_parse(const char* name, uint32_t* feature, pintle_error* error);
/* The name of a support (PINTLE_SUPPORT_...): "native", "emulated" or "absent". Any thread. */
PINTLE_C_API pintle_status pintle_support_name(uint32_t support, const char** name, pintle_error* error);
/* The support of a name. Any thread. */
PINTLE_C_API pintle_status pintle_support_parse(const char* name, uint32_t* support, pintle_error* error);

/* Lists the devices that can be opened, and why others cannot. Opens nothing. pintle/c/device_list.h says more of what
 * is listed. Any thread. */
PINTLE_C_API pintle_status pintle_devices_list(pintle_device_list* list, pintle_error* error);
/* The numbers of devices and of absences in a list; either may be NULL. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_count(pintle_device_list list, size_t* devices, size_t* absences,
                                                    pintle_error* error);
/* The facts about a device of a list. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_device(pintle_device_list list, size_t index, pintle_device_info* info,
                                                     pintle_error* error);
/* An absence of a list. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_absence(pintle_device_list list, size_t index, pintle_absence* absence,
                                                      pintle_error* error);
/* Ends the list and its strings. Any thread. */
PINTLE_C_API pintle_status pintle_device_list_release(pintle_device_list list, pintle_error* error);

/* Opens a device by its id; the same id again is the same device while a handle of it lives. "best" is the device that
 * PINTLE_DEVICE names, else the best hardware, else "cpu". PINTLE_INVALID_ARGUMENT for an id that does not parse;
 * PINTLE_UNAVAILABLE, with the valid ids, for one that names no device. Any thread. */
PINTLE_C_API pintle_status pintle_device_open(const char* id, pintle_device* device, pintle_error* error);
/* As above, for a device that takes a variant of the pack. PINTLE_UNAVAILABLE says of each device why it is not taken.
 * Any thread. */
PINTLE_C_API pintle_status pintle_device_open_for(const char* id, pintle_pack pack, pintle_device* device,
                                                  pintle_error* error);
/* The facts about the device's current generation. Any thread. */
PINTLE_C_API pintle_status pintle_device_get_info(pintle_device device, pintle_device_info* info, pintle_error* error);
/* How the device supports a feature (PINTLE_FEATURE_...). Any thread. */
PINTLE_C_API pintle_status pintle_device_capability(pintle_device device, uint32_t feature,
                                                    pintle_capability* capability, pintle_error* error);
/* How the device supports every feature, in one call: `capabilities[i]` is that of the feature i + 1. `capabilities`
 * has room for `room` elements, and may be NULL where `room` is 0. The caller sets the size of the first element; all
 * have that size. Fills as many as there is room for. `count` becomes the number of all features: a later version has
 * more. Any thread. */
PINTLE_C_API pintle_status pintle_device_capabilities(pintle_device device, pintle_capability* capabilities,
                                                      size_t room, size_t* count, pintle_error* error);
/* The total, available and used bytes of each heap of the device now. Any thread. */
PINTLE_C_API pintle_status pintle_device_budget(pintle_device device, pintle_heap_list* list, pintle_error* error);
/* The number of heaps in a list. Any thread. */
PINTLE_C_API pintle_status pintle_heap_list_count(pintle_heap_list list, size_t* count, pintle_error* error);
/* A heap of a list. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_heap_list_heap(pintle_heap_list list, size_t index, pintle_heap* heap,
                                                 pintle_error* error);
/* Ends the list and its strings. Any thread. */
PINTLE_C_API pintle_status pintle_heap_list_release(pintle_heap_list list, pintle_error* error);
/* The number of the current generation, which rises by one with each recovery. Any thread. */
PINTLE_C_API pintle_status pintle_device_generation(pintle_device device, uint64_t* generation, pintle_error* error);
/* Makes progress without blocking, and runs callbacks that are due on this thread. Any thread. */
PINTLE_C_API pintle_status pintle_device_poll(pintle_device device, pintle_error* error);
/* Blocks until everything that was submitted to the device has ended; then answers the first failure among its queues.
 * Any thread. */
PINTLE_C_API pintle_status pintle_device_wait_idle(pintle_device device, int64_t timeout, pintle_error* error);
/* PINTLE_OK, or the first cause of the loss. A device that can be probed runs a tiny piece of work; any other answers
 * from what has been seen so far. Any thread. */
PINTLE_C_API pintle_status pintle_device_health(pintle_device device, pintle_error* error);
/* Opens the next generation after a loss; objects of the old one are then PINTLE_STALE. Does nothing on a healthy
 * device. Any thread. */
PINTLE_C_API pintle_status pintle_device_recover(pintle_device device, pintle_error* error);
/* Lets go of the device. Its queues and buffers keep it open; its id, opened again, is another device then. Any thread.
 */
PINTLE_C_API pintle_status pintle_device_release(pintle_device device, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
