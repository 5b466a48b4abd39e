// Vectors in memory, atomics, copies between the memories, and the functions of whole groups.
// The elements of a vector need only the alignment of one.
#define UNALIGNED(T, N) typedef T##N unaligned_##T##N __attribute__((aligned(1)));
#define ALL_UNALIGNED(T) UNALIGNED(T, 2) UNALIGNED(T, 4) UNALIGNED(T, 8) UNALIGNED(T, 16)
EACH_TYPE(ALL_UNALIGNED)
#define VLOAD(T, N, S) OVERLOAD T##N vload##N(size_t at, const S T* p) { return *(const S unaligned_##T##N*)(p + at * N); }
#define VSTORE(T, N, S) OVERLOAD void vstore##N(T##N v, size_t at, S T* p) { *(S unaligned_##T##N*)(p + at * N) = v; }
#define VLOADS(T, S) \
  VLOAD(T, 2, S) VLOAD(T, 4, S) VLOAD(T, 8, S) VLOAD(T, 16, S) \
  OVERLOAD T##3 vload3(size_t at, const S T* p) { p += at * 3; return (T##3)(p[0], p[1], p[2]); }
#define VSTORES(T, S) \
  VSTORE(T, 2, S) VSTORE(T, 4, S) VSTORE(T, 8, S) VSTORE(T, 16, S) \
  OVERLOAD void vstore3(T##3 v, size_t at, S T* p) { p += at * 3; p[0] = v.x; p[1] = v.y; p[2] = v.z; }
#define ALL_VLOADS(T) \
  VLOADS(T, __global) VLOADS(T, __local) VLOADS(T, __private) VLOADS(T, __generic) VLOADS(T, __constant) \
  VSTORES(T, __global) VSTORES(T, __local) VSTORES(T, __private) VSTORES(T, __generic)
EACH_TYPE(ALL_VLOADS)

// Halves in memory as floats and doubles.
#define HALF_LOADS(S) \
  OVERLOAD float vload_half(size_t at, const S half* p) { return (float)p[at]; } \
  OVERLOAD float vloada_half(size_t at, const S half* p) { return (float)p[at]; } \
  OVERLOAD float3 vload_half3(size_t at, const S half* p) { return convert_float3(vload3(at, p)); } \
  OVERLOAD float3 vloada_half3(size_t at, const S half* p) { return convert_float3(vload3(0, p + at * 4)); } \
  HALF_LOAD(S, 2) HALF_LOAD(S, 4) HALF_LOAD(S, 8) HALF_LOAD(S, 16)
#define HALF_LOAD(S, N) \
  OVERLOAD float##N vload_half##N(size_t at, const S half* p) { return convert_float##N(vload##N(at, p)); } \
  OVERLOAD float##N vloada_half##N(size_t at, const S half* p) { return convert_float##N(vload##N(at, p)); }
EACH_SPACE_READ(HALF_LOADS)
#define HALF_STORE(T, S, R, N) \
  OVERLOAD void vstore_half##N##R(T##N v, size_t at, S half* p) { vstore##N(convert_half##N##R(v), at, p); } \
  OVERLOAD void vstorea_half##N##R(T##N v, size_t at, S half* p) { vstore##N(convert_half##N##R(v), at, p); }
#define HALF_STORES(T, S, R) \
  OVERLOAD void vstore_half##R(T v, size_t at, S half* p) { p[at] = convert_half##R(v); } \
  OVERLOAD void vstorea_half##R(T v, size_t at, S half* p) { p[at] = convert_half##R(v); } \
  OVERLOAD void vstore_half3##R(T##3 v, size_t at, S half* p) { vstore3(convert_half3##R(v), at, p); } \
  OVERLOAD void vstorea_half3##R(T##3 v, size_t at, S half* p) { vstore3(convert_half3##R(v), 0, p + at * 4); } \
  HALF_STORE(T, S, R, 2) HALF_STORE(T, S, R, 4) HALF_STORE(T, S, R, 8) HALF_STORE(T, S, R, 16)
#define HALF_STORES_OF(T, S) \
  HALF_STORES(T, S, ) HALF_STORES(T, S, _rte) HALF_STORES(T, S, _rtz) HALF_STORES(T, S, _rtp) HALF_STORES(T, S, _rtn)
#define ALL_HALF_STORES(S) HALF_STORES_OF(float, S) HALF_STORES_OF(double, S)
EACH_SPACE(ALL_HALF_STORES)

// Atomics of OpenCL 1.x: relaxed there; what is stronger is right too.
#define ATOMIC_OF(T, S, P) \
  OVERLOAD T P##add(volatile S T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##sub(volatile S T* p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##inc(volatile S T* p) { return __atomic_fetch_add(p, (T)1, __ATOMIC_RELAXED); } \
  OVERLOAD T P##dec(volatile S T* p) { return __atomic_fetch_sub(p, (T)1, __ATOMIC_RELAXED); } \
  OVERLOAD T P##and(volatile S T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##or(volatile S T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##xor(volatile S T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##min(volatile S T* p, T v) { return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##max(volatile S T* p, T v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##xchg(volatile S T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T P##cmpxchg(volatile S T* p, T expected, T v) { \
    __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected; \
  }
#define ATOMICS(S) \
  ATOMIC_OF(int, S, atomic_) ATOMIC_OF(uint, S, atomic_) ATOMIC_OF(int, S, atom_) ATOMIC_OF(uint, S, atom_) \
  ATOMIC_OF(long, S, atom_) ATOMIC_OF(ulong, S, atom_) \
  OVERLOAD float atomic_xchg(volatile S float* p, float v) { return as_float(atomic_xchg((volatile S int*)p, as_int(v))); }
ATOMICS(__global) ATOMICS(__local) ATOMICS(__generic)

// A prefetch is a wish. Copies are spread over the items, and complete where the group waits for them.
#define PREFETCH(T, N) OVERLOAD void prefetch(const __global T##N* p, size_t count) {}
#define ALL_PREFETCH(T) SIZES(PREFETCH, T)
EACH_TYPE(ALL_PREFETCH)
#define ITEMS (get_local_size(0) * get_local_size(1) * get_local_size(2))
#define ASYNC(T, N, TO, FROM) \
  OVERLOAD __attribute__((convergent)) event_t async_work_group_copy(TO T##N* to, const FROM T##N* from, size_t count, event_t event) { \
    for (size_t i = get_local_linear_id(); i < count; i += ITEMS) to[i] = from[i]; \
    return event; \
  }
#define ASYNC_STRIDED(T, N) \
  OVERLOAD __attribute__((convergent)) event_t async_work_group_strided_copy(__local T##N* to, const __global T##N* from, size_t count, size_t stride, event_t event) { \
    for (size_t i = get_local_linear_id(); i < count; i += ITEMS) to[i] = from[i * stride]; \
    return event; \
  } \
  OVERLOAD __attribute__((convergent)) event_t async_work_group_strided_copy(__global T##N* to, const __local T##N* from, size_t count, size_t stride, event_t event) { \
    for (size_t i = get_local_linear_id(); i < count; i += ITEMS) to[i * stride] = from[i]; \
    return event; \
  }
#define ASYNC_BOTH(T, N) ASYNC(T, N, __local, __global) ASYNC(T, N, __global, __local) ASYNC_STRIDED(T, N)
#define ALL_ASYNC(T) SIZES(ASYNC_BOTH, T)
EACH_TYPE(ALL_ASYNC)
#define WAIT(S) OVERLOAD void __attribute__((convergent)) wait_group_events(int count, S event_t* events) { pintle_barrier(); }
WAIT(__private) WAIT(__generic) WAIT(__local) WAIT(__global)

// Functions of whole groups: every item leaves its value in memory of the group, and the first works on all.
__local uchar* __attribute__((const)) pintle_scratch(ulong bytes_of_an_item);
#define GROUP_BEGIN(T) \
  __local T* const all = (__local T*)pintle_scratch(sizeof(T)); \
  const size_t me = get_local_linear_id(), count = ITEMS; \
  all[me] = x; \
  pintle_barrier();
#define GROUP_END(T, at) \
  pintle_barrier(); \
  const T result = all[at]; \
  pintle_barrier(); \
  return result;
#define GROUP_REDUCE(T, op, start, combine) \
  OVERLOAD T __attribute__((convergent)) work_group_reduce_##op(T x) { \
    GROUP_BEGIN(T) \
    if (me == 0) { \
      T a = start; \
      for (size_t i = 0; i < count; ++i) { const T b = all[i]; a = combine; } \
      all[count] = a; \
    } \
    GROUP_END(T, count) \
  } \
  OVERLOAD T __attribute__((convergent)) work_group_scan_inclusive_##op(T x) { \
    GROUP_BEGIN(T) \
    if (me == 0) { \
      T a = start; \
      for (size_t i = 0; i < count; ++i) { const T b = all[i]; a = combine; all[i] = a; } \
    } \
    GROUP_END(T, me) \
  } \
  OVERLOAD T __attribute__((convergent)) work_group_scan_exclusive_##op(T x) { \
    GROUP_BEGIN(T) \
    if (me == 0) { \
      T a = start; \
      for (size_t i = 0; i < count; ++i) { const T b = all[i]; all[i] = a; a = combine; } \
    } \
    GROUP_END(T, me) \
  }
#define GROUP_OF(T, least, most) \
  GROUP_REDUCE(T, add, 0, a + b) \
  GROUP_REDUCE(T, min, most, a < b ? a : b) \
  GROUP_REDUCE(T, max, least, a > b ? a : b) \
  OVERLOAD T __attribute__((convergent)) work_group_broadcast(T x, size_t i) { GROUP_BEGIN(T) GROUP_END(T, i) } \
  OVERLOAD T __attribute__((convergent)) work_group_broadcast(T x, size_t i, size_t j) { \
    GROUP_BEGIN(T) GROUP_END(T, j * get_local_size(0) + i) \
  } \
  OVERLOAD T __attribute__((convergent)) work_group_broadcast(T x, size_t i, size_t j, size_t k) { \
    GROUP_BEGIN(T) GROUP_END(T, (k * get_local_size(1) + j) * get_local_size(0) + i) \
  }
GROUP_OF(int, INT_MIN, INT_MAX) GROUP_OF(uint, 0, UINT_MAX) GROUP_OF(long, LONG_MIN, LONG_MAX) GROUP_OF(ulong, 0, ULONG_MAX)
GROUP_OF(float, -INFINITY, INFINITY) GROUP_OF(half, -(half)INFINITY, (half)INFINITY) GROUP_OF(double, -(double)INFINITY, (double)INFINITY)
OVERLOAD int __attribute__((convergent)) work_group_all(int x) { return work_group_reduce_min((uint)(x != 0)); }
OVERLOAD int __attribute__((convergent)) work_group_any(int x) { return work_group_reduce_max((uint)(x != 0)); }
