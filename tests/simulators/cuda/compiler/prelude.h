// CUDA C as a C++ compiler for the host reads it: included before every kernel, after tests/simulators/cuda/image.h in
// meaning. It includes nothing, as the real run-time compiler has no headers of the system.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

#define PINTLE_SIMULATOR_VECTORS(type, name, align2, align4) \
  struct alignas(align2) name##2 { type x, y; };             \
  struct name##3 { type x, y, z; };                          \
  struct alignas(align4) name##4 { type x, y, z, w; };
PINTLE_SIMULATOR_VECTORS(float, float, 8, 16)
PINTLE_SIMULATOR_VECTORS(double, double, 16, 16)
PINTLE_SIMULATOR_VECTORS(int, int, 8, 16)
#undef PINTLE_SIMULATOR_VECTORS
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

// As NVIDIA's headers have it: a source that defines a macro `global` has no kernels.
#define PINTLE_SIMULATOR_ANNOTATE(place) __attribute__((annotate(#place), visibility("default")))
#define __location__(place) PINTLE_SIMULATOR_ANNOTATE(place)
#define __global__ __location__(global)
#define __device__
#define __host__
#define __constant__ static
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict
#define PINTLE_SIMULATOR_BOUNDS(threads) __attribute__((annotate("__launch_bounds__=" #threads)))
#define __launch_bounds__(threads, ...) PINTLE_SIMULATOR_BOUNDS(threads)
#define __shared__ pintle_simulator_shared  // the simulated compiler replaces it

namespace pintle_simulator {

struct place {
  uint3 thread, block;
  dim3 block_size, grid_size;
};
struct services {
  void (*barrier)();
  void* (*dynamic_shared)();
};
struct layout {
  size_t size, alignment;
};
struct host_entry {
  const char* name;
  void (*call)(void* const* arguments);
  const layout* parameters;
  size_t parameter_count;
  int max_threads;
};
struct host_module {
  const host_entry* entries;
  size_t entry_count;
  place* (*item)();
  void (*set_services)(const services* services);
};

static thread_local place item;
static const services* host;

template <class T, T... I>
struct sequence {};
template <auto Function>
struct entry;
template <class... P, void (*Function)(P...)>
struct entry<Function> {
  static constexpr layout parameters[] = {{sizeof(P), alignof(P)}..., {0, 0}};
  static constexpr size_t count = sizeof...(P);
  template <unsigned... I>
  static void spread([[maybe_unused]] void* const* arguments, sequence<unsigned, I...>) {
    Function(*static_cast<P*>(arguments[I])...);
  }
  static void call(void* const* arguments) {
    spread(arguments, __make_integer_seq<sequence, unsigned, sizeof...(P)>());
  }
};

}  // namespace pintle_simulator

#define threadIdx (pintle_simulator::item.thread)
#define blockIdx (pintle_simulator::item.block)
#define blockDim (pintle_simulator::item.block_size)
#define gridDim (pintle_simulator::item.grid_size)
#define warpSize 32

inline void __syncthreads() { pintle_simulator::host->barrier(); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __trap() { __builtin_trap(); }

#define PINTLE_SIMULATOR_ATOMICS(type)                                                                      \
  inline type atomicAdd(type* at, type value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }   \
  inline type atomicSub(type* at, type value) { return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED); }   \
  inline type atomicAnd(type* at, type value) { return __atomic_fetch_and(at, value, __ATOMIC_RELAXED); }   \
  inline type atomicOr(type* at, type value) { return __atomic_fetch_or(at, value, __ATOMIC_RELAXED); }     \
  inline type atomicXor(type* at, type value) { return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED); }   \
  inline type atomicMin(type* at, type value) { return __atomic_fetch_min(at, value, __ATOMIC_RELAXED); }   \
  inline type atomicMax(type* at, type value) { return __atomic_fetch_max(at, value, __ATOMIC_RELAXED); }   \
  inline type atomicExch(type* at, type value) { return __atomic_exchange_n(at, value, __ATOMIC_RELAXED); } \
  inline type atomicCAS(type* at, type expected, type value) {                                              \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);           \
    return expected;                                                                                        \
  }
PINTLE_SIMULATOR_ATOMICS(int)
PINTLE_SIMULATOR_ATOMICS(unsigned)
PINTLE_SIMULATOR_ATOMICS(unsigned long long)
#undef PINTLE_SIMULATOR_ATOMICS
#define PINTLE_SIMULATOR_FLOAT_ADD(type)                                                                \
  inline type atomicAdd(type* at, type value) {                                                         \
    type before, after;                                                                                 \
    __atomic_load(at, &before, __ATOMIC_RELAXED);                                                       \
    do after = before + value;                                                                          \
    while (!__atomic_compare_exchange(at, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    return before;                                                                                      \
  }
PINTLE_SIMULATOR_FLOAT_ADD(float)
PINTLE_SIMULATOR_FLOAT_ADD(double)
#undef PINTLE_SIMULATOR_FLOAT_ADD

#define PINTLE_SIMULATOR_MATH(name)                                \
  inline float name##f(float x) { return __builtin_##name##f(x); } \
  inline float name(float x) { return __builtin_##name##f(x); }    \
  inline double name(double x) { return __builtin_##name(x); }
PINTLE_SIMULATOR_MATH(sqrt)
PINTLE_SIMULATOR_MATH(exp)
PINTLE_SIMULATOR_MATH(log)
PINTLE_SIMULATOR_MATH(sin)
PINTLE_SIMULATOR_MATH(cos)
PINTLE_SIMULATOR_MATH(tanh)
PINTLE_SIMULATOR_MATH(floor)
PINTLE_SIMULATOR_MATH(ceil)
PINTLE_SIMULATOR_MATH(fabs)
PINTLE_SIMULATOR_MATH(exp2)
PINTLE_SIMULATOR_MATH(log2)
PINTLE_SIMULATOR_MATH(trunc)
#undef PINTLE_SIMULATOR_MATH
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T>
inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, T b) {
  return a < b ? b : a;
}
