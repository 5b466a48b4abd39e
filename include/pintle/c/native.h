/* Native objects, out and in: what lies behind a device, a queue and a buffer, and devices, queues and buffers over
 * what is there already, such as the caller's own stream and memory. Objects have the types that their APIs give them,
 * as pointers, and as 64-bit numbers for those of Vulkan that are numbers; no header of a vendor is needed.
 *
 * Each struct begins with a pintle_native, which says what it is; the functions take the address of that:
 *
 *   pintle_opencl_queue mine = {.native = {sizeof mine, PINTLE_NATIVE_OPENCL_QUEUE}, .queue = queue};
 *   pintle_queue_wrap(device, &mine.native, NULL, &over, &error);
 *
 * What is handed out belongs to the device, queue or buffer, and is valid while that lives: retain what is kept longer.
 * What is wrapped stays the caller's, and outlives Pintle's use of it: the last submission that uses a buffer or queue,
 * the last handle of a device and of what it made. Points order the caller's own work with Pintle's. */
#ifndef PINTLE_C_NATIVE_H
#define PINTLE_C_NATIVE_H

#include "pintle/c/buffer.h"
#include "pintle/c/handles.h"
#include "pintle/c/queue.h"
#include "pintle/c/status.h"

struct pintle_group; /* A work-group of a kernel: pintle/native/cpu_kernel.h. */

#ifdef __cplusplus
extern "C" {
#endif

/* The struct that begins with a pintle_native. */
enum {
  PINTLE_NATIVE_CPU_DEVICE = 1,    /* pintle_cpu_device */
  PINTLE_NATIVE_CPU_MEMORY = 2,    /* pintle_cpu_memory */
  PINTLE_NATIVE_OPENCL_DEVICE = 3, /* pintle_opencl_device */
  PINTLE_NATIVE_OPENCL_QUEUE = 4,  /* pintle_opencl_queue */
  PINTLE_NATIVE_OPENCL_MEMORY = 5, /* pintle_opencl_memory */
  PINTLE_NATIVE_VULKAN_DEVICE = 6, /* pintle_vulkan_device */
  PINTLE_NATIVE_VULKAN_QUEUE = 7,  /* pintle_vulkan_queue */
  PINTLE_NATIVE_VULKAN_MEMORY = 8, /* pintle_vulkan_memory */
  PINTLE_NATIVE_CUDA_DEVICE = 9,   /* pintle_cuda_device */
  PINTLE_NATIVE_CUDA_QUEUE = 10,   /* pintle_cuda_queue */
  PINTLE_NATIVE_CUDA_MEMORY = 11,  /* pintle_cuda_memory */
  PINTLE_NATIVE_HIP_DEVICE = 12,   /* pintle_hip_device */
  PINTLE_NATIVE_HIP_QUEUE = 13,    /* pintle_hip_queue */
  PINTLE_NATIVE_HIP_MEMORY = 14,   /* pintle_hip_memory */
  PINTLE_NATIVE_PJRT_DEVICE = 15   /* pintle_pjrt_device */
};

/* What every struct of a native object begins with. */
typedef struct pintle_native {
  uint32_t size; /* Bytes of the whole struct. */
  uint32_t kind; /* PINTLE_NATIVE_... */
} pintle_native;

/* A device of the cpu backend. It cannot be wrapped. */
typedef struct pintle_cpu_device {
  pintle_native native;
  uint32_t threads; /* Threads that may execute at once; 0: the calling one. */
  uint32_t reserved;
  double quota; /* Processors that the process's cgroup pays for; 0: it has no limit. */
} pintle_cpu_device;

/* A buffer of the cpu backend: memory of the host. */
typedef struct pintle_cpu_memory {
  pintle_native native;
  void* address; /* The first byte. */
} pintle_cpu_memory;

/* A device of the opencl backend. One that is wrapped may have a context with other devices in it. */
typedef struct pintle_opencl_device {
  pintle_native native;
  void* platform; /* cl_platform_id */
  void* device;   /* cl_device_id */
  void* context;  /* cl_context */
} pintle_opencl_device;

/* A queue of the opencl backend, in order. Commands that others enqueue to it run in between, and no point covers them.
 * From the first time that it is handed out, the queue measures time where the device's clock needs it, which costs
 * each launch a little. One that is wrapped belongs to the device's context; made without profiling, it takes no
 * timestamps (PINTLE_UNSUPPORTED) where the device's clock needs it. */
typedef struct pintle_opencl_queue {
  pintle_native native;
  void* queue; /* cl_command_queue */
} pintle_opencl_queue;

/* A buffer of the opencl backend. One that is wrapped needs `memory` alone, of the device's context. */
typedef struct pintle_opencl_memory {
  pintle_native native;
  void* memory;     /* cl_mem */
  uint64_t address; /* For kernels that take one; 0 outside shared virtual memory. Ignored where it is wrapped. */
  uint64_t offset;  /* The first byte's place in the cl_mem; `address` has it already. 0 where it is wrapped. */
} pintle_opencl_memory;

/* A device of the vulkan backend, which uses `queue` too: submit to it only while everything else on the device is
 * idle.
 */
typedef struct pintle_vulkan_device {
  pintle_native native;
  void* instance;        /* VkInstance */
  void* physical_device; /* VkPhysicalDevice */
  void* device;          /* VkDevice */
  void* queue;           /* VkQueue of the compute family */
  uint32_t queue_family;
  uint32_t reserved;
  /* What follows is needed where the device is wrapped, and NULL where it is handed out. */
  /* The VkDeviceCreateInfo that made `device`, read before the call returns. It says which extensions and features are
   * on, and among which families buffers are shared. timelineSemaphore must be on. Features are read from
   * pEnabledFeatures, VkPhysicalDeviceFeatures2 and Vulkan11/12/13Features, and from the structs of single features for
   * timeline semaphores, buffer addresses, synchronization2, subgroup size control and device fault. */
  const void* create_info;
  void (*get_instance_proc_addr)(void); /* PFN_vkGetInstanceProcAddr; NULL: that of libvulkan.so.1. */
} pintle_vulkan_device;

/* A queue of the vulkan backend. Several queues may share one VkQueue, and the backend submits to it from the threads
 * that submit. One that is wrapped is of a family in the device's `create_info`, and nothing else submits to it. */
typedef struct pintle_vulkan_queue {
  pintle_native native;
  void* queue; /* VkQueue */
  uint32_t family;
  uint32_t reserved;
} pintle_vulkan_queue;

/* A buffer of the vulkan backend: a part of a VkBuffer. One that is wrapped has the usages transfer source, transfer
 * destination and storage, and is bound to memory. Its `offset` is a multiple of the device's offset alignment, and
 * `bytes` is at least the next multiple of 4 of the bytes wanted. Its `memory` may be 0, and so may `address` where no
 * kernel takes it. */
typedef struct pintle_vulkan_memory {
  pintle_native native;
  uint64_t buffer;  /* VkBuffer */
  uint64_t memory;  /* VkDeviceMemory, which begins where the VkBuffer does */
  uint64_t offset;  /* The first byte, counted from the start of both. */
  uint64_t bytes;   /* From there on. */
  uint64_t address; /* For kernels that take one; 0 where the device has none. */
} pintle_vulkan_memory;

/* A device of the cuda backend. One that is wrapped may have the primary context, which CUDA's runtime and PyTorch use.
 */
typedef struct pintle_cuda_device {
  pintle_native native;
  uint32_t device; /* CUdevice */
  uint32_t reserved;
  void* context; /* CUcontext */
} pintle_cuda_device;

/* A queue of the cuda backend. Work that others give to the stream runs in between, and no point covers it. One that is
 * wrapped belongs to the device's context; NULL is the default stream. */
typedef struct pintle_cuda_queue {
  pintle_native native;
  void* stream; /* CUstream */
} pintle_cuda_queue;

/* A buffer of the cuda backend. One that is wrapped is memory, or a part of memory, that the driver has given in the
 * device's context. Two buffers over the same bytes are two memories: order their commands by a barrier or by points.
 */
typedef struct pintle_cuda_memory {
  pintle_native native;
  uint64_t address; /* CUdeviceptr */
  void* host;       /* The same bytes for the host; NULL where it cannot see them. */
  uint32_t device;  /* CUdevice of the buffer's device; ignored where it is wrapped. */
  uint32_t reserved;
} pintle_cuda_memory;

/* A device of the hip backend. */
typedef struct pintle_hip_device {
  pintle_native native;
  uint32_t device; /* hipDevice_t */
  uint32_t reserved;
} pintle_hip_device;

/* A queue of the hip backend. As of the cuda backend. */
typedef struct pintle_hip_queue {
  pintle_native native;
  void* stream; /* hipStream_t */
} pintle_hip_queue;

/* A buffer of the hip backend. As of the cuda backend. */
typedef struct pintle_hip_memory {
  pintle_native native;
  uint64_t address; /* hipDeviceptr_t */
  void* host;       /* The same bytes for the host; NULL where it cannot see them. */
  uint32_t device;  /* hipDevice_t of the buffer's device; ignored where it is wrapped. */
  uint32_t reserved;
} pintle_hip_memory;

/* A device of the pjrt backend. It cannot be wrapped. The plug-in stays open as long as the process. */
typedef struct pintle_pjrt_device {
  pintle_native native;
  void* client; /* PJRT_Client* */
  void* device; /* PJRT_Device* */
} pintle_pjrt_device;

/* What lies behind a device. The caller sets the size and the kind in `native`; the rest is filled. PINTLE_UNSUPPORTED
 * for a kind of another backend; PINTLE_INVALID_ARGUMENT for a kind of another object's. Any thread. */
PINTLE_C_API pintle_status pintle_device_get_native(pintle_device device, pintle_native* native, pintle_error* error);
/* What lies behind a queue. As above. One thread at a time. */
PINTLE_C_API pintle_status pintle_queue_get_native(pintle_queue queue, pintle_native* native, pintle_error* error);
/* What lies behind a buffer. As above. One thread at a time. */
PINTLE_C_API pintle_status pintle_buffer_get_native(pintle_buffer buffer, pintle_native* native, pintle_error* error);
/* Makes a device over a native one. It is in no list, and pintle_device_recover is PINTLE_UNAVAILABLE for it: wrap a
 * new one. PINTLE_INVALID_ARGUMENT, with the reason, for objects that lack what the struct's comment asks for;
 * PINTLE_UNSUPPORTED for a kind that is no device's or that its backend does not wrap. Any thread. */
PINTLE_C_API pintle_status pintle_device_wrap(const pintle_native* native, pintle_device* device, pintle_error* error);
/* Makes a queue over a native one; `options` may be NULL. The errors are as above. Any thread. */
PINTLE_C_API pintle_status pintle_queue_wrap(pintle_device device, const pintle_native* native,
                                             const pintle_queue_options* options, pintle_queue* queue,
                                             pintle_error* error);
/* Makes a buffer over native memory; `label` may be NULL. PINTLE_INVALID_ARGUMENT also for memory that is too small.
 * Any thread. */
PINTLE_C_API pintle_status pintle_buffer_wrap(pintle_device device, const pintle_native* native, uint32_t dtype,
                                              size_t rank, const uint64_t* dims, const char* label,
                                              pintle_buffer* buffer, pintle_error* error);
/* Makes `kernel`, a pintle_cpu_kernel, the code of entries named `symbol` in packs of the format "native", which have
 * no other code: for the whole process, and for ever. PINTLE_INVALID_ARGUMENT for a symbol that has another function
 * already. Any thread. */
PINTLE_C_API pintle_status pintle_cpu_register_kernel(
    const char* symbol, void (*kernel)(const struct pintle_group* group, void* const* arguments), pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
