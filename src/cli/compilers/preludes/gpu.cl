// Built-in functions of OpenCL C for GPUs that libclc does not have, or has in a form that the target cannot select. They
// are linked before libclc, so that theirs are only what is missing here.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define OVERLOAD __attribute__((overloadable, always_inline))
#define EACH_SMALL(F) F(char) F(uchar) F(short) F(ushort) F(int) F(uint) F(long) F(ulong)
#define EACH_TYPE(F) EACH_SMALL(F) F(float) F(double) F(half)
#define VECTORS(F, T) F(T, 2) F(T, 3) F(T, 4) F(T, 8) F(T, 16)
#define SIZES(F, T) F(T, ) VECTORS(F, T)

// Where an item is.
OVERLOAD uint get_work_dim(void) { return 3; }
OVERLOAD size_t get_global_offset(uint axis) { return 0; }
OVERLOAD size_t get_enqueued_local_size(uint axis) { return get_local_size(axis); }
OVERLOAD size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
OVERLOAD size_t get_global_linear_id(void) {
  return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}
OVERLOAD void __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }
OVERLOAD void __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { barrier(flags); }

// Integers.
#define MAD_HI(T, N) OVERLOAD T##N mad_hi(T##N x, T##N y, T##N z) { return mul_hi(x, y) + z; }
#define ALL_MAD_HI(T) SIZES(MAD_HI, T)
EACH_SMALL(ALL_MAD_HI)
#define CTZ(T, N) OVERLOAD T##N ctz(T##N x) { return popcount((T##N)(~x & (x - (T##N)1))); }
#define ALL_CTZ(T) SIZES(CTZ, T)
EACH_SMALL(ALL_CTZ)

// Halves are computed as floats.
#define HALF_1(f) OVERLOAD half f(half x) { return (half)f((float)x); }
#define HALF_2(f) OVERLOAD half f(half x, half y) { return (half)f((float)x, (float)y); }
HALF_1(exp) HALF_1(exp2) HALF_1(log) HALF_1(log2) HALF_1(sin) HALF_1(cos) HALF_1(tan) HALF_1(tanh) HALF_1(sqrt) HALF_1(rsqrt)
HALF_1(fabs) HALF_1(floor) HALF_1(ceil) HALF_1(rint) HALF_1(round) HALF_1(trunc) HALF_2(pow) HALF_2(fmin) HALF_2(fmax)

// Atomics of C11; sequentially consistent on the device, which is stronger than asked.
#define STRICT memory_order_seq_cst, memory_scope_device
#define A11(A) volatile __generic A*
#define EXCHANGE(A, T, f, strength) \
  OVERLOAD bool f(A11(A) p, __generic T* e, T v) { return __opencl_atomic_compare_exchange_##strength(p, e, v, memory_order_seq_cst, STRICT); } \
  OVERLOAD bool f##_explicit(A11(A) p, __generic T* e, T v, memory_order y, memory_order n) { return f(p, e, v); } \
  OVERLOAD bool f##_explicit(A11(A) p, __generic T* e, T v, memory_order y, memory_order n, memory_scope s) { return f(p, e, v); }
#define CHANGES(A, T, f) \
  OVERLOAD T atomic_##f(A11(A) p, T v) { return __opencl_atomic_##f(p, v, STRICT); } \
  OVERLOAD T atomic_##f##_explicit(A11(A) p, T v, memory_order o) { return atomic_##f(p, v); } \
  OVERLOAD T atomic_##f##_explicit(A11(A) p, T v, memory_order o, memory_scope s) { return atomic_##f(p, v); }
// LLVM selects plain loads and stores of PTX only, so that fences order them.
#ifdef __NVPTX__
#define FENCE() __nvvm_membar_gl()
#else
#define FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")
#endif
#define RELAXED memory_order_relaxed, memory_scope_device
#define OF_ALL(A, T) \
  OVERLOAD void atomic_init(A11(A) p, T v) { __opencl_atomic_init(p, v); } \
  OVERLOAD void atomic_store(A11(A) p, T v) { FENCE(); __opencl_atomic_store(p, v, RELAXED); FENCE(); } \
  OVERLOAD void atomic_store_explicit(A11(A) p, T v, memory_order o) { atomic_store(p, v); } \
  OVERLOAD void atomic_store_explicit(A11(A) p, T v, memory_order o, memory_scope s) { atomic_store(p, v); } \
  OVERLOAD T atomic_load(A11(A) p) { FENCE(); const T v = __opencl_atomic_load(p, RELAXED); FENCE(); return v; } \
  OVERLOAD T atomic_load_explicit(A11(A) p, memory_order o) { return atomic_load(p); } \
  OVERLOAD T atomic_load_explicit(A11(A) p, memory_order o, memory_scope s) { return atomic_load(p); } \
  CHANGES(A, T, exchange) \
  EXCHANGE(A, T, atomic_compare_exchange_strong, strong) \
  EXCHANGE(A, T, atomic_compare_exchange_weak, weak)
#define OF_INTEGERS(A, T) \
  OF_ALL(A, T) \
  CHANGES(A, T, fetch_add) CHANGES(A, T, fetch_sub) CHANGES(A, T, fetch_and) CHANGES(A, T, fetch_or) \
  CHANGES(A, T, fetch_xor) CHANGES(A, T, fetch_min) CHANGES(A, T, fetch_max)
OF_INTEGERS(atomic_int, int) OF_INTEGERS(atomic_uint, uint) OF_INTEGERS(atomic_long, long) OF_INTEGERS(atomic_ulong, ulong)
OF_ALL(atomic_float, float) OF_ALL(atomic_double, double)
OVERLOAD bool atomic_flag_test_and_set(volatile __generic atomic_flag* p) { return __opencl_atomic_exchange(p, 1, STRICT); }
OVERLOAD void atomic_flag_clear(volatile __generic atomic_flag* p) { FENCE(); __opencl_atomic_store(p, 0, RELAXED); }
OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) { FENCE(); }

#ifdef __NVPTX__
// The approximations that PTX has; LLVM selects no others.
#define VECTORS_OF_1(f) \
  OVERLOAD float2 f(float2 x) { return (float2)(f(x.x), f(x.y)); } \
  OVERLOAD float3 f(float3 x) { return (float3)(f(x.x), f(x.y), f(x.z)); } \
  OVERLOAD float4 f(float4 x) { return (float4)(f(x.lo), f(x.hi)); } \
  OVERLOAD float8 f(float8 x) { return (float8)(f(x.lo), f(x.hi)); } \
  OVERLOAD float16 f(float16 x) { return (float16)(f(x.lo), f(x.hi)); }
#define NATIVE_1(f, ...) OVERLOAD float f(float x) { return __VA_ARGS__; } VECTORS_OF_1(f)
NATIVE_1(native_exp2, __nvvm_ex2_approx_f(x))
NATIVE_1(native_log2, __nvvm_lg2_approx_f(x))
NATIVE_1(native_sin, __nvvm_sin_approx_f(x))
NATIVE_1(native_cos, __nvvm_cos_approx_f(x))
NATIVE_1(native_exp, native_exp2(x * M_LOG2E_F))
NATIVE_1(native_exp10, native_exp2(x * (M_LN10_F * M_LOG2E_F)))
NATIVE_1(native_log, native_log2(x) * M_LN2_F)
NATIVE_1(native_log10, native_log2(x) * (M_LN2_F / M_LN10_F))
NATIVE_1(native_tan, native_sin(x) / native_cos(x))
NATIVE_1(half_exp2, native_exp2(x)) NATIVE_1(half_log2, native_log2(x)) NATIVE_1(half_sin, native_sin(x))
NATIVE_1(half_cos, native_cos(x)) NATIVE_1(half_exp, native_exp(x)) NATIVE_1(half_exp10, native_exp10(x))
NATIVE_1(half_log, native_log(x)) NATIVE_1(half_log10, native_log10(x)) NATIVE_1(half_tan, native_tan(x))

#define POWER(f, N) OVERLOAD float##N f(float##N x, float##N y) { return native_exp2(y * native_log2(x)); }
POWER(native_powr, ) POWER(native_powr, 2) POWER(native_powr, 3) POWER(native_powr, 4) POWER(native_powr, 8) POWER(native_powr, 16)
POWER(half_powr, ) POWER(half_powr, 2) POWER(half_powr, 3) POWER(half_powr, 4) POWER(half_powr, 8) POWER(half_powr, 16)

// Atomics of 64 bits.
#define ATOM(T, S) \
  OVERLOAD T atom_add(volatile S T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_sub(volatile S T* p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_and(volatile S T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_or(volatile S T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_xor(volatile S T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_min(volatile S T* p, T v) { return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_max(volatile S T* p, T v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_xchg(volatile S T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
  OVERLOAD T atom_inc(volatile S T* p) { return atom_add(p, (T)1); } \
  OVERLOAD T atom_dec(volatile S T* p) { return atom_sub(p, (T)1); } \
  OVERLOAD T atom_cmpxchg(volatile S T* p, T expected, T v) { \
    __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected; \
  }
ATOM(long, __global) ATOM(ulong, __global) ATOM(long, __local) ATOM(ulong, __local)
#else
OVERLOAD void wait_group_events(int count, __generic event_t* events) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }

// Pointers to memory of any kind, which are not those to private memory here.
#define UNALIGNED(T, N) typedef T##N unaligned_##T##N __attribute__((aligned(1)));
#define VLOAD(T, N) \
  UNALIGNED(T, N) \
  OVERLOAD T##N vload##N(size_t at, const __generic T* p) { return *(const __generic unaligned_##T##N*)(p + at * N); } \
  OVERLOAD void vstore##N(T##N v, size_t at, __generic T* p) { *(__generic unaligned_##T##N*)(p + at * N) = v; }
#define VLOADS(T) \
  VLOAD(T, 2) VLOAD(T, 4) VLOAD(T, 8) VLOAD(T, 16) \
  OVERLOAD T##3 vload3(size_t at, const __generic T* p) { p += at * 3; return (T##3)(p[0], p[1], p[2]); } \
  OVERLOAD void vstore3(T##3 v, size_t at, __generic T* p) { p += at * 3; p[0] = v.x; p[1] = v.y; p[2] = v.z; }
EACH_TYPE(VLOADS)
#define HALVES(N, stride, suffix) \
  OVERLOAD float##N vload##suffix##N(size_t at, const __generic half* p) { \
    float##N r; \
    for (int i = 0; i < N; ++i) ((float*)&r)[i] = (float)p[at * stride + i]; \
    return r; \
  } \
  OVERLOAD void vstore##suffix##N(float##N v, size_t at, __generic half* p) { \
    for (int i = 0; i < N; ++i) p[at * stride + i] = (half)((float*)&v)[i]; \
  } \
  OVERLOAD void vstore##suffix##N##_rte(float##N v, size_t at, __generic half* p) { vstore##suffix##N(v, at, p); }
HALVES(2, 2, _half) HALVES(3, 3, _half) HALVES(4, 4, _half) HALVES(8, 8, _half) HALVES(16, 16, _half)
HALVES(2, 2, a_half) HALVES(3, 4, a_half) HALVES(4, 4, a_half) HALVES(8, 8, a_half) HALVES(16, 16, a_half)
OVERLOAD float vload_half(size_t at, const __generic half* p) { return (float)p[at]; }
OVERLOAD void vstore_half(float v, size_t at, __generic half* p) { p[at] = (half)v; }
OVERLOAD void vstore_half_rte(float v, size_t at, __generic half* p) { p[at] = (half)v; }

// A second result goes through private memory.
#define SECOND(f, T, I, N) \
  OVERLOAD T##N f(T##N x, __generic I##N* second) { \
    __private I##N own; \
    const T##N result = f(x, (__private I##N*)&own); \
    *second = own; \
    return result; \
  }
#define SECONDS(f, T, I) SECOND(f, T, I, ) SECOND(f, T, I, 2) SECOND(f, T, I, 3) SECOND(f, T, I, 4) SECOND(f, T, I, 8) SECOND(f, T, I, 16)
SECONDS(frexp, float, int) SECONDS(frexp, double, int) SECONDS(lgamma_r, float, int) SECONDS(lgamma_r, double, int)
SECONDS(modf, float, float) SECONDS(modf, double, double) SECONDS(fract, float, float) SECONDS(fract, double, double)
SECONDS(sincos, float, float) SECONDS(sincos, double, double)
#define REMQUO(T, N) \
  OVERLOAD T##N remquo(T##N x, T##N y, __generic int##N* quotient) { \
    __private int##N own; \
    const T##N result = remquo(x, y, (__private int##N*)&own); \
    *quotient = own; \
    return result; \
  }
SIZES(REMQUO, float) SIZES(REMQUO, double)
#endif
