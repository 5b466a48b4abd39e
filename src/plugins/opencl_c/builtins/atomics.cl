// Atomics of C11. All are sequentially consistent among all threads: stronger than asked, and as fast where it counts.
#define STRICT memory_order_seq_cst, memory_scope_all_svm_devices
#define EXCHANGE_OF(A, S, E, T, f, strength) \
  OVERLOAD bool f(volatile S A* p, E T* e, T v) { return __opencl_atomic_compare_exchange_##strength(p, e, v, memory_order_seq_cst, STRICT); } \
  OVERLOAD bool f##_explicit(volatile S A* p, E T* e, T v, memory_order y, memory_order n) { \
    return __opencl_atomic_compare_exchange_##strength(p, e, v, memory_order_seq_cst, STRICT); \
  } \
  OVERLOAD bool f##_explicit(volatile S A* p, E T* e, T v, memory_order y, memory_order n, memory_scope s) { \
    return __opencl_atomic_compare_exchange_##strength(p, e, v, memory_order_seq_cst, STRICT); \
  }
#define EXCHANGE(A, S, T, f, strength) \
  EXCHANGE_OF(A, S, __generic, T, f, strength) EXCHANGE_OF(A, S, __global, T, f, strength) \
  EXCHANGE_OF(A, S, __local, T, f, strength) EXCHANGE_OF(A, S, __private, T, f, strength)
#define STORES(A, S, T, f, builtin) \
  OVERLOAD void f(volatile S A* p, T v) { builtin(p, v, STRICT); } \
  OVERLOAD void f##_explicit(volatile S A* p, T v, memory_order o) { builtin(p, v, STRICT); } \
  OVERLOAD void f##_explicit(volatile S A* p, T v, memory_order o, memory_scope s) { builtin(p, v, STRICT); }
#define LOADS(A, S, T, f, builtin) \
  OVERLOAD T f(volatile S A* p) { return builtin(p, STRICT); } \
  OVERLOAD T f##_explicit(volatile S A* p, memory_order o) { return builtin(p, STRICT); } \
  OVERLOAD T f##_explicit(volatile S A* p, memory_order o, memory_scope s) { return builtin(p, STRICT); }
#define CHANGES_BY(A, S, T, D, f, builtin) \
  OVERLOAD T f(volatile S A* p, D v) { return builtin(p, v, STRICT); } \
  OVERLOAD T f##_explicit(volatile S A* p, D v, memory_order o) { return builtin(p, v, STRICT); } \
  OVERLOAD T f##_explicit(volatile S A* p, D v, memory_order o, memory_scope s) { return builtin(p, v, STRICT); }
#define CHANGES(A, S, T, f, builtin) CHANGES_BY(A, S, T, T, f, builtin)
#define OF_ALL(A, S, T) \
  OVERLOAD void atomic_init(volatile S A* p, T v) { __opencl_atomic_init(p, v); } \
  STORES(A, S, T, atomic_store, __opencl_atomic_store) \
  LOADS(A, S, T, atomic_load, __opencl_atomic_load) \
  CHANGES(A, S, T, atomic_exchange, __opencl_atomic_exchange) \
  EXCHANGE(A, S, T, atomic_compare_exchange_strong, strong) \
  EXCHANGE(A, S, T, atomic_compare_exchange_weak, weak)
#define OF_INTEGERS(A, S, T) \
  OF_ALL(A, S, T) \
  CHANGES(A, S, T, atomic_fetch_add, __opencl_atomic_fetch_add) \
  CHANGES(A, S, T, atomic_fetch_sub, __opencl_atomic_fetch_sub) \
  CHANGES(A, S, T, atomic_fetch_and, __opencl_atomic_fetch_and) \
  CHANGES(A, S, T, atomic_fetch_or, __opencl_atomic_fetch_or) \
  CHANGES(A, S, T, atomic_fetch_xor, __opencl_atomic_fetch_xor) \
  CHANGES(A, S, T, atomic_fetch_min, __opencl_atomic_fetch_min) \
  CHANGES(A, S, T, atomic_fetch_max, __opencl_atomic_fetch_max)
#define OF_FLOATS(A, S, T) \
  OF_ALL(A, S, T) \
  CHANGES(A, S, T, atomic_fetch_add, __opencl_atomic_fetch_add) \
  CHANGES(A, S, T, atomic_fetch_sub, __opencl_atomic_fetch_sub) \
  CHANGES(A, S, T, atomic_fetch_min, __opencl_atomic_fetch_min) \
  CHANGES(A, S, T, atomic_fetch_max, __opencl_atomic_fetch_max)
#define OF_FLAGS(S) \
  OVERLOAD bool atomic_flag_test_and_set(volatile S atomic_flag* p) { return __opencl_atomic_exchange(p, 1, STRICT); } \
  OVERLOAD bool atomic_flag_test_and_set_explicit(volatile S atomic_flag* p, memory_order o) { return __opencl_atomic_exchange(p, 1, STRICT); } \
  OVERLOAD bool atomic_flag_test_and_set_explicit(volatile S atomic_flag* p, memory_order o, memory_scope s) { return __opencl_atomic_exchange(p, 1, STRICT); } \
  OVERLOAD void atomic_flag_clear(volatile S atomic_flag* p) { __opencl_atomic_store(p, 0, STRICT); } \
  OVERLOAD void atomic_flag_clear_explicit(volatile S atomic_flag* p, memory_order o) { __opencl_atomic_store(p, 0, STRICT); } \
  OVERLOAD void atomic_flag_clear_explicit(volatile S atomic_flag* p, memory_order o, memory_scope s) { __opencl_atomic_store(p, 0, STRICT); }
#define OF_POINTERS(A, S, T, D) \
  CHANGES_BY(A, S, T, D, atomic_fetch_and, __opencl_atomic_fetch_and) CHANGES_BY(A, S, T, D, atomic_fetch_or, __opencl_atomic_fetch_or) \
  CHANGES_BY(A, S, T, D, atomic_fetch_xor, __opencl_atomic_fetch_xor) CHANGES_BY(A, S, T, D, atomic_fetch_min, __opencl_atomic_fetch_min) \
  CHANGES_BY(A, S, T, D, atomic_fetch_max, __opencl_atomic_fetch_max)
// OpenCL C 3.0 has each function for global and for local memory apart.
#define ATOMICS_IN(S) \
  OF_INTEGERS(atomic_int, S, int) OF_INTEGERS(atomic_uint, S, uint) OF_INTEGERS(atomic_long, S, long) OF_INTEGERS(atomic_ulong, S, ulong) \
  OF_FLOATS(atomic_float, S, float) OF_FLOATS(atomic_double, S, double) OF_FLAGS(S) \
  CHANGES_BY(atomic_ulong, S, ulong, long, atomic_fetch_add, __opencl_atomic_fetch_add) \
  CHANGES_BY(atomic_ulong, S, ulong, long, atomic_fetch_sub, __opencl_atomic_fetch_sub) \
  OF_POINTERS(atomic_ulong, S, ulong, long) OF_POINTERS(atomic_long, S, long, ulong)
ATOMICS_IN(__generic) ATOMICS_IN(__global) ATOMICS_IN(__local)
OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {}
