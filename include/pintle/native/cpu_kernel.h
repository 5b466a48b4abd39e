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

/* An image: rows of texels, without gaps. `texel` is the number of a pintle::Texel; its channels lie in the order r, g,
 * b, a. */
typedef struct pintle_cpu_image {
  void* texels;
  uint32_t width;
  uint32_t height;
  uint32_t depth; /* 0: two dimensions */
  uint32_t texel;
  uint64_t row_bytes;   /* from one row to the next */
  uint64_t slice_bytes; /* from one slice to the next */
} pintle_cpu_image;

/* A sampler: the numbers of a pintle::Filter, a pintle::Address and a pintle::Coordinates. */
typedef struct pintle_cpu_sampler {
  uint8_t filter;
  uint8_t address;
  uint8_t coordinates;
} pintle_cpu_sampler;

/* arguments[i] points to the first byte of buffer i, to the value of scalar i, to a pintle_cpu_image or a
 * pintle_cpu_sampler.
 */
typedef void (*pintle_cpu_kernel)(const pintle_group* group, void* const* arguments);

#endif
