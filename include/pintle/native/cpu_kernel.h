/* The interface of a kernel for the cpu backend. Plain C11, also C++. Code of the `c` format needs no include of it. */
#ifndef PINTLE_NATIVE_CPU_KERNEL_H
#define PINTLE_NATIVE_CPU_KERNEL_H

#include <stdint.h>

/* One work-group. The kernel loops over the group's items itself: item x runs from id[0] * size[0] for size[0] items.
 */
typedef struct pintle_group {
  uint32_t id[3];       /* place of this group in the launch */
  uint32_t count[3];    /* groups of the launch */
  uint32_t size[3];     /* items of a group */
  uint32_t local_bytes; /* bytes of `local`, as the entry declares */
  void* local;          /* scratch memory of this group, 64-byte aligned, contents undefined at the start */
} pintle_group;

/* arguments[i] points to the first byte of buffer i, or to the value of scalar i. */
typedef void (*pintle_kernel)(const pintle_group* group, void* const* arguments);

#endif
