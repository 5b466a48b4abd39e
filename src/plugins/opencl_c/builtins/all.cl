// The built-in functions of OpenCL C for the cpu, as one file that clang compiles for each level.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL FP_CONTRACT OFF
#define OVERLOAD __attribute__((overloadable, always_inline))
#define INLINE static inline __attribute__((always_inline))

#include "items.cl"
#include "types.cl"

#include "integers.cl"
#include "dots.cl"
#include "math.cl"
#include "convert.cl"
#include "shuffle.cl"
#include "memory.cl"
#include "atomics.cl"
#include "subgroups.cl"
#include "images.cl"
