// OpenCL C's functions for targets whose clang has the language but no library: the places of an item, barriers, scalars.
// What is not here is undeclared, and the compiler says so; a call into nothing would only be found by a driver.
#include <opencl-c-base.h>

#define PINTLE_FUNCTION static inline __attribute__((overloadable, always_inline, unused))

#if defined(__NVPTX__)
#define PINTLE_LOCAL_ID(axis) __nvvm_read_ptx_sreg_tid_##axis()
#define PINTLE_LOCAL_SIZE(axis) __nvvm_read_ptx_sreg_ntid_##axis()
#define PINTLE_GROUP_ID(axis) __nvvm_read_ptx_sreg_ctaid_##axis()
#define PINTLE_NUM_GROUPS(axis) __nvvm_read_ptx_sreg_nctaid_##axis()
#define PINTLE_FENCE() __nvvm_membar_cta()
#define PINTLE_BARRIER() __syncthreads()
#else
#define PINTLE_LOCAL_ID(axis) __builtin_amdgcn_workitem_id_##axis()
#define PINTLE_LOCAL_SIZE(axis) __builtin_amdgcn_workgroup_size_##axis()
#define PINTLE_GROUP_ID(axis) __builtin_amdgcn_workgroup_id_##axis()
#define PINTLE_NUM_GROUPS(axis) (__builtin_amdgcn_grid_size_##axis() / __builtin_amdgcn_workgroup_size_##axis())
#define PINTLE_FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup")
#define PINTLE_BARRIER() (PINTLE_FENCE(), __builtin_amdgcn_s_barrier(), PINTLE_FENCE())
#endif

#define PINTLE_BY_AXIS(name, read, beyond) \
  PINTLE_FUNCTION size_t name(uint axis) { return axis == 0 ? read(x) : axis == 1 ? read(y) : axis == 2 ? read(z) : beyond; }
PINTLE_BY_AXIS(get_local_id, PINTLE_LOCAL_ID, 0)
PINTLE_BY_AXIS(get_local_size, PINTLE_LOCAL_SIZE, 1)
PINTLE_BY_AXIS(get_enqueued_local_size, PINTLE_LOCAL_SIZE, 1)
PINTLE_BY_AXIS(get_group_id, PINTLE_GROUP_ID, 0)
PINTLE_BY_AXIS(get_num_groups, PINTLE_NUM_GROUPS, 1)
PINTLE_FUNCTION uint get_work_dim(void) { return 3; }
PINTLE_FUNCTION size_t get_global_offset(uint axis) { return 0; }
PINTLE_FUNCTION size_t get_global_id(uint axis) { return get_group_id(axis) * get_local_size(axis) + get_local_id(axis); }
PINTLE_FUNCTION size_t get_global_size(uint axis) { return get_num_groups(axis) * get_local_size(axis); }
PINTLE_FUNCTION size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
PINTLE_FUNCTION size_t get_global_linear_id(void) {
  return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}

PINTLE_FUNCTION void barrier(cl_mem_fence_flags flags) { PINTLE_BARRIER(); }
PINTLE_FUNCTION void work_group_barrier(cl_mem_fence_flags flags) { PINTLE_BARRIER(); }
PINTLE_FUNCTION void mem_fence(cl_mem_fence_flags flags) { PINTLE_FENCE(); }
PINTLE_FUNCTION void read_mem_fence(cl_mem_fence_flags flags) { PINTLE_FENCE(); }
PINTLE_FUNCTION void write_mem_fence(cl_mem_fence_flags flags) { PINTLE_FENCE(); }

#define PINTLE_OF_BOTH(T) \
  PINTLE_FUNCTION T min(T a, T b) { return b < a ? b : a; } \
  PINTLE_FUNCTION T max(T a, T b) { return a < b ? b : a; } \
  PINTLE_FUNCTION T clamp(T value, T least, T most) { return min(max(value, least), most); }
#define PINTLE_OF_INTEGERS(T, U) \
  PINTLE_OF_BOTH(T) \
  PINTLE_FUNCTION U abs(T value) { return (U)(value < 0 ? -value : value); } \
  PINTLE_FUNCTION U abs_diff(T a, T b) { return a < b ? (U)b - (U)a : (U)a - (U)b; } \
  PINTLE_FUNCTION T popcount(T value) { return (T)__builtin_popcountl((U)value); }
PINTLE_OF_INTEGERS(char, uchar)
PINTLE_OF_INTEGERS(uchar, uchar)
PINTLE_OF_INTEGERS(short, ushort)
PINTLE_OF_INTEGERS(ushort, ushort)
PINTLE_OF_INTEGERS(int, uint)
PINTLE_OF_INTEGERS(uint, uint)
PINTLE_OF_INTEGERS(long, ulong)
PINTLE_OF_INTEGERS(ulong, ulong)
PINTLE_FUNCTION int mul24(int a, int b) { return a * b; }
PINTLE_FUNCTION uint mul24(uint a, uint b) { return a * b; }
PINTLE_FUNCTION int mad24(int a, int b, int c) { return a * b + c; }
PINTLE_FUNCTION uint mad24(uint a, uint b, uint c) { return a * b + c; }

#define PINTLE_OF_REALS(T, S) \
  PINTLE_OF_BOTH(T) \
  PINTLE_FUNCTION T sqrt(T value) { return __builtin_sqrt##S(value); } \
  PINTLE_FUNCTION T rsqrt(T value) { return 1 / __builtin_sqrt##S(value); } \
  PINTLE_FUNCTION T fabs(T value) { return __builtin_fabs##S(value); } \
  PINTLE_FUNCTION T fmin(T a, T b) { return __builtin_fmin##S(a, b); } \
  PINTLE_FUNCTION T fmax(T a, T b) { return __builtin_fmax##S(a, b); } \
  PINTLE_FUNCTION T fma(T a, T b, T c) { return __builtin_fma##S(a, b, c); } \
  PINTLE_FUNCTION T mad(T a, T b, T c) { return a * b + c; } \
  PINTLE_FUNCTION T floor(T value) { return __builtin_floor##S(value); } \
  PINTLE_FUNCTION T ceil(T value) { return __builtin_ceil##S(value); } \
  PINTLE_FUNCTION T trunc(T value) { return __builtin_trunc##S(value); } \
  PINTLE_FUNCTION T rint(T value) { return __builtin_rint##S(value); } \
  PINTLE_FUNCTION T copysign(T a, T b) { return __builtin_copysign##S(a, b); } \
  PINTLE_FUNCTION T mix(T a, T b, T part) { return a + (b - a) * part; } \
  PINTLE_FUNCTION T step(T edge, T value) { return value < edge ? 0 : 1; } \
  PINTLE_FUNCTION T sign(T value) { return value > 0 ? 1 : value < 0 ? -1 : value == 0 ? value : 0; } \
  PINTLE_FUNCTION int isnan(T value) { return value != value; }
PINTLE_OF_REALS(float, f)
#ifdef __opencl_c_fp64
PINTLE_OF_REALS(double, )
#endif
PINTLE_FUNCTION float native_sqrt(float value) { return __builtin_sqrtf(value); }
PINTLE_FUNCTION float native_rsqrt(float value) { return 1 / __builtin_sqrtf(value); }
PINTLE_FUNCTION float native_recip(float value) { return 1 / value; }
PINTLE_FUNCTION float native_divide(float a, float b) { return a / b; }

#define PINTLE_CONVERSION(T) \
  PINTLE_FUNCTION T convert_##T(char value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(uchar value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(short value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(ushort value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(int value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(uint value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(long value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(ulong value) { return (T)value; } \
  PINTLE_FUNCTION T convert_##T(float value) { return (T)value; }
PINTLE_CONVERSION(char)
PINTLE_CONVERSION(uchar)
PINTLE_CONVERSION(short)
PINTLE_CONVERSION(ushort)
PINTLE_CONVERSION(int)
PINTLE_CONVERSION(uint)
PINTLE_CONVERSION(long)
PINTLE_CONVERSION(ulong)
PINTLE_CONVERSION(float)

#define PINTLE_ATOMIC(T, space) \
  PINTLE_FUNCTION T atomic_add(volatile space T* place, T value) { return __atomic_fetch_add(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_sub(volatile space T* place, T value) { return __atomic_fetch_sub(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_inc(volatile space T* place) { return atomic_add(place, (T)1); } \
  PINTLE_FUNCTION T atomic_dec(volatile space T* place) { return atomic_sub(place, (T)1); } \
  PINTLE_FUNCTION T atomic_and(volatile space T* place, T value) { return __atomic_fetch_and(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_or(volatile space T* place, T value) { return __atomic_fetch_or(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_xor(volatile space T* place, T value) { return __atomic_fetch_xor(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_min(volatile space T* place, T value) { return __atomic_fetch_min(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_max(volatile space T* place, T value) { return __atomic_fetch_max(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_xchg(volatile space T* place, T value) { return __atomic_exchange_n(place, value, __ATOMIC_RELAXED); } \
  PINTLE_FUNCTION T atomic_cmpxchg(volatile space T* place, T expected, T value) { \
    __atomic_compare_exchange_n(place, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected; \
  }
PINTLE_ATOMIC(int, global)
PINTLE_ATOMIC(uint, global)
PINTLE_ATOMIC(int, local)
PINTLE_ATOMIC(uint, local)
