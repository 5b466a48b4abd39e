// OpenCL C's words in C11 with GNU expressions, for one work-item: what is here is the vector-free part of the language.
// A kernel gets its item as a hidden parameter `pintle_here`. Where a function that it calls asks for the item too, that
// is a thread's variable (PINTLE_ITEM_OF_THREAD), which keeps loops from being vectorised.
#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <tgmath.h>
#undef I
#undef complex
#undef imaginary

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef struct { float x, y; } float2;  // a complex64

#define PINTLE_INLINE static inline __attribute__((always_inline, unused))

typedef struct {
  size_t group_id[3], local_id[3], local_size[3], num_groups[3];
} pintle_item;
#ifdef PINTLE_ITEM_OF_THREAD
static _Thread_local pintle_item pintle_here;
#define PINTLE_TELL_THREAD(item) (pintle_here = (item))
#else
#define PINTLE_TELL_THREAD(item) ((void)0)
#endif

PINTLE_INLINE size_t pintle_local_id(const pintle_item* here, uint axis) { return axis < 3 ? here->local_id[axis] : 0; }
PINTLE_INLINE size_t pintle_group_id(const pintle_item* here, uint axis) { return axis < 3 ? here->group_id[axis] : 0; }
PINTLE_INLINE size_t pintle_local_size(const pintle_item* here, uint axis) { return axis < 3 ? here->local_size[axis] : 1; }
PINTLE_INLINE size_t pintle_num_groups(const pintle_item* here, uint axis) { return axis < 3 ? here->num_groups[axis] : 1; }
PINTLE_INLINE size_t pintle_global_id(const pintle_item* here, uint axis) {
  return pintle_group_id(here, axis) * pintle_local_size(here, axis) + pintle_local_id(here, axis);
}
PINTLE_INLINE size_t pintle_global_size(const pintle_item* here, uint axis) {
  return pintle_num_groups(here, axis) * pintle_local_size(here, axis);
}

#define __kernel PINTLE_INLINE
#define kernel __kernel
#define __global
#define global
#define __constant const
#define constant const
#define __private
#define private
#define __generic
#define generic

#define get_work_dim() 3u
#define get_global_id(axis) pintle_global_id(&pintle_here, axis)
#define get_local_id(axis) pintle_local_id(&pintle_here, axis)
#define get_group_id(axis) pintle_group_id(&pintle_here, axis)
#define get_global_size(axis) pintle_global_size(&pintle_here, axis)
#define get_local_size(axis) pintle_local_size(&pintle_here, axis)
#define get_enqueued_local_size(axis) pintle_local_size(&pintle_here, axis)
#define get_num_groups(axis) pintle_num_groups(&pintle_here, axis)
#define get_global_offset(axis) ((size_t)0)
#define get_global_linear_id() ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0))
#define get_local_linear_id() ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define mem_fence(flags) ((void)(flags))
#define read_mem_fence(flags) ((void)(flags))
#define write_mem_fence(flags) ((void)(flags))

// Integers, and what is there for both.
#define min(a, b) ({ __auto_type pintle_a = (a); __typeof__(pintle_a) pintle_b = (b); pintle_b < pintle_a ? pintle_b : pintle_a; })
#define max(a, b) ({ __auto_type pintle_a = (a); __typeof__(pintle_a) pintle_b = (b); pintle_a < pintle_b ? pintle_b : pintle_a; })
#define clamp(value, least, most) min(max(value, least), most)
#define abs(value) ({ __auto_type pintle_v = (value); pintle_v < 0 ? -pintle_v : pintle_v; })
#define abs_diff(a, b) ({ __auto_type pintle_a = (a); __typeof__(pintle_a) pintle_b = (b); pintle_a < pintle_b ? pintle_b - pintle_a : pintle_a - pintle_b; })
#define mul24(a, b) ((a) * (b))
#define mad24(a, b, c) ((a) * (b) + (c))
#define popcount(value) ({ __auto_type pintle_v = (value); __builtin_popcountl((ulong)pintle_v & (~0ul >> (64 - 8 * sizeof pintle_v))); })
#define select(a, b, condition) ((condition) ? (b) : (a))

// Floating point, beside what <tgmath.h> has.
#define mad(a, b, c) ((a) * (b) + (c))
#define rsqrt(value) (1 / sqrt(value))
#define mix(a, b, part) ({ __auto_type pintle_a = (a); pintle_a + ((b) - pintle_a) * (part); })
#define step(edge, value) ({ __auto_type pintle_v = (value); (__typeof__(pintle_v))(pintle_v < (edge) ? 0 : 1); })
#define sign(value) ({ __auto_type pintle_v = (value); (__typeof__(pintle_v))(pintle_v > 0 ? 1 : pintle_v < 0 ? -1 : pintle_v == 0 ? pintle_v : 0); })
#define native_sqrt(value) sqrt(value)
#define native_rsqrt(value) rsqrt(value)
#define native_exp(value) exp(value)
#define native_exp2(value) exp2(value)
#define native_log(value) log(value)
#define native_log2(value) log2(value)
#define native_sin(value) sin(value)
#define native_cos(value) cos(value)
#define native_recip(value) (1 / (value))
#define native_divide(a, b) ((a) / (b))
#define M_PI_F 3.14159274101257f
#define M_E_F 2.71828174591064f
#define MAXFLOAT FLT_MAX

// Conversions.
#define convert_char(value) ((char)(value))
#define convert_uchar(value) ((uchar)(value))
#define convert_short(value) ((short)(value))
#define convert_ushort(value) ((ushort)(value))
#define convert_int(value) ((int)(value))
#define convert_uint(value) ((uint)(value))
#define convert_long(value) ((long)(value))
#define convert_ulong(value) ((ulong)(value))
#define convert_float(value) ((float)(value))
#define convert_double(value) ((double)(value))
#define convert_int_rte(value) ((int)rint(value))
#define convert_uint_rte(value) ((uint)rint(value))
#define convert_uchar_rte(value) ((uchar)rint(value))
#define PINTLE_SATURATED(type, least, most, value) \
  ({ const double pintle_v = (value); pintle_v > (most) ? (type)(most) : pintle_v >= (least) ? (type)pintle_v : pintle_v < (least) ? (type)(least) : (type)0; })
#define convert_char_sat(value) PINTLE_SATURATED(char, -128, 127, value)
#define convert_uchar_sat(value) PINTLE_SATURATED(uchar, 0, 255, value)
#define convert_short_sat(value) PINTLE_SATURATED(short, -32768, 32767, value)
#define convert_ushort_sat(value) PINTLE_SATURATED(ushort, 0, 65535, value)
#define convert_int_sat(value) PINTLE_SATURATED(int, INT_MIN, INT_MAX, value)
#define convert_uint_sat(value) PINTLE_SATURATED(uint, 0, UINT_MAX, value)
#define convert_uchar_sat_rte(value) convert_uchar_sat(rint(value))
#define PINTLE_AS(type, value) \
  ({ __auto_type pintle_v = (value); type pintle_r; _Static_assert(sizeof pintle_v == sizeof pintle_r, "as_" #type " of another size"); \
     __builtin_memcpy(&pintle_r, &pintle_v, sizeof pintle_r); pintle_r; })
#define as_int(value) PINTLE_AS(int, value)
#define as_uint(value) PINTLE_AS(uint, value)
#define as_float(value) PINTLE_AS(float, value)
#define as_long(value) PINTLE_AS(long, value)
#define as_ulong(value) PINTLE_AS(ulong, value)
#define as_double(value) PINTLE_AS(double, value)

// Groups run at the same time on several threads.
#define atomic_add(place, value) __atomic_fetch_add((place), (value), __ATOMIC_RELAXED)
#define atomic_sub(place, value) __atomic_fetch_sub((place), (value), __ATOMIC_RELAXED)
#define atomic_inc(place) __atomic_fetch_add((place), 1, __ATOMIC_RELAXED)
#define atomic_dec(place) __atomic_fetch_sub((place), 1, __ATOMIC_RELAXED)
#define atomic_and(place, value) __atomic_fetch_and((place), (value), __ATOMIC_RELAXED)
#define atomic_or(place, value) __atomic_fetch_or((place), (value), __ATOMIC_RELAXED)
#define atomic_xor(place, value) __atomic_fetch_xor((place), (value), __ATOMIC_RELAXED)
#define atomic_xchg(place, value) __atomic_exchange_n((place), (value), __ATOMIC_RELAXED)
#define atomic_cmpxchg(place, expected, value) \
  ({ __typeof__(*(place)) pintle_e = (expected); \
     __atomic_compare_exchange_n((place), &pintle_e, (value), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); pintle_e; })
#define PINTLE_ATOMIC_CHOICE(place, value, better) \
  ({ __auto_type pintle_p = (place); __typeof__(*pintle_p) pintle_n = (value), pintle_o = __atomic_load_n(pintle_p, __ATOMIC_RELAXED); \
     while (pintle_n better pintle_o && \
            !__atomic_compare_exchange_n(pintle_p, &pintle_o, pintle_n, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {} \
     pintle_o; })
#define atomic_min(place, value) PINTLE_ATOMIC_CHOICE(place, value, <)
#define atomic_max(place, value) PINTLE_ATOMIC_CHOICE(place, value, >)
