/* What the suite's OpenCL C calls, in CUDA C: this text stands before a source, whose keywords kernels.cpp translates.
 * A macro `global` would be found in CUDA's own macros. */
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(fences) __syncthreads()

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/* A vector of three has the place of four. */
struct __align__(16) pintle_float3 {
  float x, y, z;
};
#define float3 pintle_float3

#define PINTLE_OF_AXIS(axis, of) ((axis) == 0 ? of.x : (axis) == 1 ? of.y : of.z)
#define get_local_id(axis) ((size_t)PINTLE_OF_AXIS(axis, threadIdx))
#define get_group_id(axis) ((size_t)PINTLE_OF_AXIS(axis, blockIdx))
#define get_local_size(axis) ((size_t)PINTLE_OF_AXIS(axis, blockDim))
#define get_num_groups(axis) ((size_t)PINTLE_OF_AXIS(axis, gridDim))
#define get_global_id(axis) (get_group_id(axis) * get_local_size(axis) + get_local_id(axis))
#define get_global_size(axis) (get_num_groups(axis) * get_local_size(axis))
#line 1
