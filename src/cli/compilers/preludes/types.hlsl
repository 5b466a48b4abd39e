// The names that HLSL's own header declares; clang's packages come without that header. Where clang has a built-in, it stands
// behind the name; what is not here is undeclared, and the compiler says so.
typedef unsigned int uint;
typedef unsigned int dword;
typedef unsigned long uint64_t;
typedef long int64_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef vector<bool, 1> bool1;
typedef vector<bool, 2> bool2;
typedef vector<bool, 3> bool3;
typedef vector<bool, 4> bool4;
typedef vector<int, 1> int1;
typedef vector<int, 2> int2;
typedef vector<int, 3> int3;
typedef vector<int, 4> int4;
typedef vector<uint, 1> uint1;
typedef vector<uint, 2> uint2;
typedef vector<uint, 3> uint3;
typedef vector<uint, 4> uint4;
typedef vector<float, 1> float1;
typedef vector<float, 2> float2;
typedef vector<float, 3> float3;
typedef vector<float, 4> float4;
typedef vector<double, 1> double1;
typedef vector<double, 2> double2;
typedef vector<double, 3> double3;
typedef vector<double, 4> double4;
#define PINTLE_ALIAS(builtin) __attribute__((clang_builtin_alias(builtin)))
#define PINTLE_1(T, f, b) PINTLE_ALIAS(b) T f(T); PINTLE_ALIAS(b) T##2 f(T##2); PINTLE_ALIAS(b) T##3 f(T##3); PINTLE_ALIAS(b) T##4 f(T##4);
#define PINTLE_2(T, f, b) PINTLE_ALIAS(b) T f(T, T); PINTLE_ALIAS(b) T##2 f(T##2, T##2); PINTLE_ALIAS(b) T##3 f(T##3, T##3); PINTLE_ALIAS(b) T##4 f(T##4, T##4);
#define PINTLE_3(T, f, b) PINTLE_ALIAS(b) T f(T, T, T); PINTLE_ALIAS(b) T##2 f(T##2, T##2, T##2); PINTLE_ALIAS(b) T##3 f(T##3, T##3, T##3); PINTLE_ALIAS(b) T##4 f(T##4, T##4, T##4);
PINTLE_1(float, acos, __builtin_elementwise_acos)
PINTLE_1(float, asin, __builtin_elementwise_asin)
PINTLE_1(float, atan, __builtin_elementwise_atan)
PINTLE_1(float, ceil, __builtin_elementwise_ceil)
PINTLE_1(float, cos, __builtin_elementwise_cos)
PINTLE_1(float, cosh, __builtin_elementwise_cosh)
PINTLE_1(float, exp, __builtin_elementwise_exp)
PINTLE_1(float, exp2, __builtin_elementwise_exp2)
PINTLE_1(float, floor, __builtin_elementwise_floor)
PINTLE_1(float, log, __builtin_elementwise_log)
PINTLE_1(float, log2, __builtin_elementwise_log2)
PINTLE_1(float, log10, __builtin_elementwise_log10)
PINTLE_1(float, round, __builtin_elementwise_roundeven)
PINTLE_1(float, sin, __builtin_elementwise_sin)
PINTLE_1(float, sinh, __builtin_elementwise_sinh)
PINTLE_1(float, sqrt, __builtin_elementwise_sqrt)
PINTLE_1(float, tan, __builtin_elementwise_tan)
PINTLE_1(float, tanh, __builtin_elementwise_tanh)
PINTLE_1(float, trunc, __builtin_elementwise_trunc)
PINTLE_1(float, frac, __builtin_hlsl_elementwise_frac)
PINTLE_1(float, rsqrt, __builtin_hlsl_elementwise_rsqrt)
PINTLE_1(float, rcp, __builtin_hlsl_elementwise_rcp)
PINTLE_1(float, saturate, __builtin_hlsl_elementwise_saturate)
PINTLE_1(float, degrees, __builtin_hlsl_elementwise_degrees)
PINTLE_1(float, radians, __builtin_hlsl_elementwise_radians)
PINTLE_2(float, atan2, __builtin_elementwise_atan2)
PINTLE_2(float, pow, __builtin_elementwise_pow)
PINTLE_2(float, step, __builtin_hlsl_step)
PINTLE_3(float, lerp, __builtin_hlsl_lerp)
PINTLE_1(float, abs, __builtin_elementwise_abs)
PINTLE_1(int, abs, __builtin_elementwise_abs)
PINTLE_2(float, min, __builtin_elementwise_min) PINTLE_2(float, max, __builtin_elementwise_max)
PINTLE_3(float, clamp, __builtin_hlsl_elementwise_clamp) PINTLE_3(float, mad, __builtin_hlsl_mad)
PINTLE_2(int, min, __builtin_elementwise_min) PINTLE_2(int, max, __builtin_elementwise_max)
PINTLE_3(int, clamp, __builtin_hlsl_elementwise_clamp) PINTLE_3(int, mad, __builtin_hlsl_mad)
PINTLE_2(uint, min, __builtin_elementwise_min) PINTLE_2(uint, max, __builtin_elementwise_max)
PINTLE_3(uint, clamp, __builtin_hlsl_elementwise_clamp) PINTLE_3(uint, mad, __builtin_hlsl_mad)
#define PINTLE_VECTORS(M) M(2) M(3) M(4)
#define PINTLE_OF_VECTORS(N) \
  PINTLE_ALIAS(__builtin_hlsl_dot) float dot(float##N, float##N); \
  PINTLE_ALIAS(__builtin_hlsl_dot) int dot(int##N, int##N); \
  PINTLE_ALIAS(__builtin_hlsl_dot) uint dot(uint##N, uint##N); \
  PINTLE_ALIAS(__builtin_hlsl_normalize) float##N normalize(float##N); \
  float length(float##N x) { return sqrt(dot(x, x)); } \
  float distance(float##N x, float##N y) { return length(x - y); } \
  float##N reflect(float##N i, float##N n) { return i - 2 * n * dot(i, n); }
PINTLE_VECTORS(PINTLE_OF_VECTORS)
PINTLE_ALIAS(__builtin_hlsl_crossf32) float3 cross(float3, float3);
float length(float x) { return abs(x); }
#define PINTLE_MADE(T) \
  T fmod(T x, T y) { return x - y * trunc(x / y); } \
  T smoothstep(T low, T high, T x) { const T t = saturate((x - low) / (high - low)); return t * t * (3 - 2 * t); }
PINTLE_MADE(float) PINTLE_MADE(float2) PINTLE_MADE(float3) PINTLE_MADE(float4)
int sign(float x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
int sign(int x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
bool isnan(float x) { return x != x; }
bool isinf(float x) { return abs(x) == __builtin_huge_valf(); }
PINTLE_1(uint, countbits, __builtin_elementwise_popcount)
PINTLE_1(uint, reversebits, __builtin_elementwise_bitreverse)
PINTLE_ALIAS(__builtin_hlsl_elementwise_firstbithigh) uint firstbithigh(uint);
PINTLE_ALIAS(__builtin_hlsl_elementwise_firstbithigh) uint firstbithigh(int);
PINTLE_ALIAS(__builtin_hlsl_elementwise_firstbitlow) uint firstbitlow(uint);
PINTLE_ALIAS(__builtin_hlsl_any) bool any(bool); PINTLE_ALIAS(__builtin_hlsl_all) bool all(bool);
#define PINTLE_ANY(N) \
  PINTLE_ALIAS(__builtin_hlsl_any) bool any(bool##N); PINTLE_ALIAS(__builtin_hlsl_all) bool all(bool##N); \
  PINTLE_ALIAS(__builtin_hlsl_any) bool any(uint##N); PINTLE_ALIAS(__builtin_hlsl_all) bool all(uint##N);
PINTLE_VECTORS(PINTLE_ANY)

// Groups and waves.
PINTLE_ALIAS(__builtin_hlsl_group_memory_barrier_with_group_sync) __attribute__((convergent)) void GroupMemoryBarrierWithGroupSync(void);
#define AllMemoryBarrierWithGroupSync() GroupMemoryBarrierWithGroupSync()
#define DeviceMemoryBarrierWithGroupSync() GroupMemoryBarrierWithGroupSync()
PINTLE_ALIAS(__builtin_hlsl_wave_get_lane_index) __attribute__((convergent)) uint WaveGetLaneIndex(void);
PINTLE_ALIAS(__builtin_hlsl_wave_get_lane_count) __attribute__((convergent)) uint WaveGetLaneCount(void);
PINTLE_ALIAS(__builtin_hlsl_wave_is_first_lane) __attribute__((convergent)) bool WaveIsFirstLane(void);
#define PINTLE_WAVE(T) \
  PINTLE_ALIAS(__builtin_hlsl_wave_active_sum) __attribute__((convergent)) T WaveActiveSum(T); \
  PINTLE_ALIAS(__builtin_hlsl_wave_active_max) __attribute__((convergent)) T WaveActiveMax(T); \
  PINTLE_ALIAS(__builtin_hlsl_wave_active_min) __attribute__((convergent)) T WaveActiveMin(T); \
  PINTLE_ALIAS(__builtin_hlsl_wave_read_lane_at) __attribute__((convergent)) T WaveReadLaneAt(T, uint);
PINTLE_WAVE(float) PINTLE_WAVE(int) PINTLE_WAVE(uint)

// Atomics take a place, which only a macro can hand on. The value before goes into the last argument where there is one.
#define PINTLE_ATOMIC(f, place, value) f(__builtin_addressof(place), (value), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define PINTLE_PICK(a, b, c, name, ...) name
#define PINTLE_ATOMIC_2(f, place, value) PINTLE_ATOMIC(f, place, value)
#define PINTLE_ATOMIC_3(f, place, value, before) (before = PINTLE_ATOMIC(f, place, value))
#define PINTLE_INTERLOCKED(f, ...) PINTLE_PICK(__VA_ARGS__, PINTLE_ATOMIC_3, PINTLE_ATOMIC_2, )(f, __VA_ARGS__)
#define InterlockedAdd(...) PINTLE_INTERLOCKED(__scoped_atomic_fetch_add, __VA_ARGS__)
#define InterlockedAnd(...) PINTLE_INTERLOCKED(__scoped_atomic_fetch_and, __VA_ARGS__)
#define InterlockedOr(...) PINTLE_INTERLOCKED(__scoped_atomic_fetch_or, __VA_ARGS__)
#define InterlockedXor(...) PINTLE_INTERLOCKED(__scoped_atomic_fetch_xor, __VA_ARGS__)
#define InterlockedMin(...) PINTLE_INTERLOCKED(__scoped_atomic_fetch_min, __VA_ARGS__)
#define InterlockedMax(...) PINTLE_INTERLOCKED(__scoped_atomic_fetch_max, __VA_ARGS__)
#define InterlockedExchange(...) PINTLE_INTERLOCKED(__scoped_atomic_exchange_n, __VA_ARGS__)
