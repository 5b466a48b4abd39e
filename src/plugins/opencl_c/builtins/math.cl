// Floating-point functions. What LLVM has as an intrinsic stays one, so that loops over items become vectors (libmvec); the rest
// calls libm one element at a time. Halves are computed as floats.
#define LIBM_1(name) \
  float libm_f_##name(float) __asm__(#name "f"); \
  double libm_d_##name(double) __asm__(#name);
#define LIBM_2(name) \
  float libm_f_##name(float, float) __asm__(#name "f"); \
  double libm_d_##name(double, double) __asm__(#name);

// Intrinsics of any size.
#define DIRECT_1(f, builtin, T, N) OVERLOAD T##N f(T##N x) { return builtin(x); }
#define DIRECT_2(f, builtin, T, N) OVERLOAD T##N f(T##N x, T##N y) { return builtin(x, y); }
#define DIRECT_3(f, builtin, T, N) OVERLOAD T##N f(T##N x, T##N y, T##N z) { return builtin(x, y, z); }
#define FLOATS_OF(M, f, b) FLOATS_OF_(M, f, b, float) FLOATS_OF_(M, f, b, double) FLOATS_OF_(M, f, b, half)
#define FLOATS_OF_(M, f, b, T) M(f, b, T, ) M(f, b, T, 2) M(f, b, T, 3) M(f, b, T, 4) M(f, b, T, 8) M(f, b, T, 16)
FLOATS_OF(DIRECT_1, fabs, __builtin_elementwise_abs)
FLOATS_OF(DIRECT_1, ceil, __builtin_elementwise_ceil)
FLOATS_OF(DIRECT_1, floor, __builtin_elementwise_floor)
FLOATS_OF(DIRECT_1, trunc, __builtin_elementwise_trunc)
FLOATS_OF(DIRECT_1, rint, __builtin_elementwise_rint)
FLOATS_OF(DIRECT_1, round, __builtin_elementwise_round)
FLOATS_OF(DIRECT_1, sqrt, __builtin_elementwise_sqrt)
FLOATS_OF(DIRECT_2, copysign, __builtin_elementwise_copysign)
FLOATS_OF(DIRECT_2, fmin, __builtin_elementwise_min)
FLOATS_OF(DIRECT_2, fmax, __builtin_elementwise_max)
FLOATS_OF(DIRECT_3, fma, __builtin_elementwise_fma)

// Relations: 1 or 0 for scalars, -1 or 0 for each element.
#define RELATIONS(T, I) \
  RELATION_N(T, int, ) RELATION_N(T, I, 2) RELATION_N(T, I, 3) RELATION_N(T, I, 4) RELATION_N(T, I, 8) RELATION_N(T, I, 16)
#define RELATION_N(T, I, N) \
  OVERLOAD I##N isequal(T##N x, T##N y) { return x == y; } \
  OVERLOAD I##N isnotequal(T##N x, T##N y) { return x != y; } \
  OVERLOAD I##N isgreater(T##N x, T##N y) { return x > y; } \
  OVERLOAD I##N isgreaterequal(T##N x, T##N y) { return x >= y; } \
  OVERLOAD I##N isless(T##N x, T##N y) { return x < y; } \
  OVERLOAD I##N islessequal(T##N x, T##N y) { return x <= y; } \
  OVERLOAD I##N islessgreater(T##N x, T##N y) { return (x < y) | (x > y); } \
  OVERLOAD I##N isordered(T##N x, T##N y) { return (x == x) & (y == y); } \
  OVERLOAD I##N isunordered(T##N x, T##N y) { return (x != x) | (y != y); } \
  OVERLOAD I##N isnan(T##N x) { return x != x; } \
  OVERLOAD I##N isinf(T##N x) { return fabs(x) == (T##N)INFINITY; } \
  OVERLOAD I##N isfinite(T##N x) { return fabs(x) < (T##N)INFINITY; } \
  OVERLOAD I##N isnormal(T##N x) { return (fabs(x) < (T##N)INFINITY) & (fabs(x) >= (T##N)LEAST_##T); }
#define LEAST_float 0x1p-126f
#define LEAST_double 0x1p-1022
#define LEAST_half ((half)0x1p-14f)
RELATIONS(float, int) RELATIONS(double, long) RELATIONS(half, short)
#define SIGNBITS(T, I) \
  OVERLOAD int signbit(T x) { return as_##I(x) < 0; } \
  SIGNBIT(T, I, 2) SIGNBIT(T, I, 3) SIGNBIT(T, I, 4) SIGNBIT(T, I, 8) SIGNBIT(T, I, 16)
#define SIGNBIT(T, I, N) OVERLOAD I##N signbit(T##N x) { return as_##I##N(x) < (I##N)0; }
SIGNBITS(float, int) SIGNBITS(double, long) SIGNBITS(half, short)
#define NANS(T, U) \
  OVERLOAD T nan(U code) { return as_##T((U)(code | NAN_##T)); } \
  NAN_N(T, U, 2) NAN_N(T, U, 3) NAN_N(T, U, 4) NAN_N(T, U, 8) NAN_N(T, U, 16)
#define NAN_N(T, U, N) OVERLOAD T##N nan(U##N code) { return as_##T##N(code | (U##N)NAN_##T); }
#define NAN_float 0x7fc00000u
#define NAN_double 0x7ff8000000000000ul
#define NAN_half ((ushort)0x7e00)
NANS(float, uint) NANS(double, ulong) NANS(half, ushort)

// Intrinsics of one element, which the vectorizer of loops turns into libmvec's; and libm's.
#define OF_PARTS_1(f) PARTS_1(float, f, float) PARTS_1(double, f, double) PARTS_1(half, f, half)
#define OF_PARTS_2(f) PARTS_2(float, f, float, float) PARTS_2(double, f, double, double) PARTS_2(half, f, half, half)
#define SCALARS_1(f, of_float, of_double) \
  OVERLOAD float f(float x) { return of_float(x); } \
  OVERLOAD double f(double x) { return of_double(x); } \
  OVERLOAD half f(half x) { return (half)f((float)x); } \
  OF_PARTS_1(f)
#define SCALARS_2(f, of_float, of_double) \
  OVERLOAD float f(float x, float y) { return of_float(x, y); } \
  OVERLOAD double f(double x, double y) { return of_double(x, y); } \
  OVERLOAD half f(half x, half y) { return (half)f((float)x, (float)y); } \
  OF_PARTS_2(f)
SCALARS_1(exp, __builtin_expf, __builtin_exp)
SCALARS_1(exp2, __builtin_exp2f, __builtin_exp2)
// libmvec's logf is wrong by up to 3.46 ulp near 0.78, and 3 are allowed. Here the number is 2^e (1 + m) with 1 + m between sqrt(1/2)
// and sqrt(2); a polynomial in m has the rest, and log(2) comes in two parts, of which the first is exact in its products with e.
// There is no branch, so that loops become vectors on every processor.
INLINE float pintle_log(float x) {
  const bool tiny = x < 0x1p-126f;
  const int bits = as_int(tiny ? x * 0x1p23f : x);
  const int shifted = bits - 0x3f3504f3;
  const float e = (float)((shifted >> 23) - (tiny ? 23 : 0));
  const float m = as_float((shifted & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const float square = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const float rest = p * m * square + e * -2.12194440e-4f - 0.5f * square;
  const float result = (m + rest) + e * 0.693359375f;
  return x > 0 ? (x < INFINITY ? result : x) : x == 0 ? -INFINITY : NAN;
}
SCALARS_1(log, pintle_log, __builtin_log)
SCALARS_1(log2, __builtin_log2f, __builtin_log2)
SCALARS_1(log10, __builtin_log10f, __builtin_log10)
SCALARS_1(sin, __builtin_sinf, __builtin_sin)
SCALARS_1(cos, __builtin_cosf, __builtin_cos)
SCALARS_2(pow, __builtin_powf, __builtin_pow)
#define LIBM_SCALARS_1(f) LIBM_1(f) SCALARS_1(f, libm_f_##f, libm_d_##f)
#define LIBM_SCALARS_2(f) LIBM_2(f) SCALARS_2(f, libm_f_##f, libm_d_##f)
LIBM_SCALARS_1(acos) LIBM_SCALARS_1(acosh) LIBM_SCALARS_1(asin) LIBM_SCALARS_1(asinh) LIBM_SCALARS_1(atan) LIBM_SCALARS_1(atanh)
LIBM_SCALARS_1(cosh) LIBM_SCALARS_1(sinh) LIBM_SCALARS_1(tanh) LIBM_SCALARS_1(tan) LIBM_SCALARS_1(erf)
LIBM_SCALARS_1(erfc) LIBM_SCALARS_1(expm1) LIBM_SCALARS_1(log1p) LIBM_SCALARS_1(tgamma) LIBM_SCALARS_1(exp10)
LIBM_SCALARS_1(logb) LIBM_SCALARS_2(atan2) LIBM_SCALARS_2(fmod) LIBM_SCALARS_2(remainder) LIBM_SCALARS_2(hypot)
LIBM_SCALARS_2(fdim)
LIBM_1(cbrt)
// libm's cube root of a double is wrong by up to 3.7 ulp, and 2 are allowed: one step of Newton's brings it below 1. Small numbers
// are scaled, since what is left of them has too few bits.
INLINE double pintle_cbrt(double x) {
  const bool small = fabs(x) < 0x1p-900;
  const double scaled = small ? x * 0x1p900 : x, root = libm_d_cbrt(scaled);
  if (root == 0 || !isfinite(root)) return root;
  const double square = root * root, better = root - fma(square, root, -scaled) / (3 * square);
  return small ? better * 0x1p-300 : better;
}
SCALARS_1(cbrt, libm_f_cbrt, pintle_cbrt)
float libm_f_nextafter(float, float) __asm__("nextafterf");
double libm_d_nextafter(double, double) __asm__("nextafter");
OVERLOAD float nextafter(float x, float y) { return libm_f_nextafter(x, y); }
OVERLOAD double nextafter(double x, double y) { return libm_d_nextafter(x, y); }
OVERLOAD half nextafter(half x, half y) {
  if (isnan(x) || isnan(y)) return x + y;
  if (x == y) return y;
  const short bits = as_short(x);
  if (x == 0) return copysign(as_half((short)1), y);
  return as_half((short)((x < y) == (x > 0) ? bits + 1 : bits - 1));
}
OF_PARTS_2(nextafter)

// With a pointer for a second result.
float pintle_lgamma_f(float, __private int*) __asm__("lgammaf_r");
double pintle_lgamma_d(double, __private int*) __asm__("lgamma_r");
float pintle_remquo_f(float, float, __private int*) __asm__("remquof");
double pintle_remquo_d(double, double, __private int*) __asm__("remquo");
#define pintle_lgamma_float(x, s) pintle_lgamma_f(x, s)
#define pintle_lgamma_double(x, s) pintle_lgamma_d(x, s)
#define pintle_lgamma_half(x, s) (half) pintle_lgamma_f((float)(x), s)
#define pintle_remquo_float(x, y, q) pintle_remquo_f(x, y, q)
#define pintle_remquo_double(x, y, q) pintle_remquo_d(x, y, q)
#define pintle_remquo_half(x, y, q) (half) pintle_remquo_f((float)(x), (float)(y), q)

// The exponent and the fraction by the bits; subnormal numbers are scaled first.
INLINE float pintle_frexp_float(float x, __private int* e) {
  int shift = 0;
  if (x == 0 || isinf(x) || isnan(x)) return *e = 0, x;
  if (fabs(x) < 0x1p-126f) x *= 0x1p32f, shift = -32;
  const int bits = as_int(x);
  *e = ((bits >> 23) & 0xff) - 126 + shift;
  return as_float((bits & ~0x7f800000) | 0x3f000000);
}
INLINE double pintle_frexp_double(double x, __private int* e) {
  int shift = 0;
  if (x == 0 || isinf(x) || isnan(x)) return *e = 0, x;
  if (fabs(x) < 0x1p-1022) x *= 0x1p64, shift = -64;
  const long bits = as_long(x);
  *e = (int)((bits >> 52) & 0x7ff) - 1022 + shift;
  return as_double((bits & ~0x7ff0000000000000L) | 0x3fe0000000000000L);
}
INLINE half pintle_frexp_half(half x, __private int* e) { return (half)pintle_frexp_float((float)x, e); }
OVERLOAD int ilogb(float x) {
  if (x == 0) return FP_ILOGB0;
  if (isnan(x)) return FP_ILOGBNAN;
  if (isinf(x)) return INT_MAX;
  int e;
  pintle_frexp_float(x, &e);
  return e - 1;
}
OVERLOAD int ilogb(double x) {
  if (x == 0) return FP_ILOGB0;
  if (isnan(x)) return FP_ILOGBNAN;
  if (isinf(x)) return INT_MAX;
  int e;
  pintle_frexp_double(x, &e);
  return e - 1;
}
OVERLOAD int ilogb(half x) { return ilogb((float)x); }
PARTS_1(int, ilogb, float) PARTS_1(int, ilogb, double) PARTS_1(int, ilogb, half)

// Two factors reach every exponent, and only the last product rounds.
INLINE float pintle_two_f(int e) { return as_float((e + 127) << 23); }
OVERLOAD float ldexp(float x, int e) {
  e = clamp(e, -400, 400);
  const int first = clamp(e, -126, 127), second = clamp(e - first, -126, 127), third = clamp(e - first - second, -126, 127);
  if (e < -126) {  // up first, so that only one product is subnormal
    const int low = clamp(e + 126, -126, 0);
    return e < -252 ? x * 0x1p-126f * 0x1p-126f * pintle_two_f(clamp(e + 252, -126, 0)) : fabs(x) >= 0x1p-1f || x == 0 ? x * pintle_two_f(low) * 0x1p-126f : (float)((double)x * as_double((long)(e + 1023) << 52));
  }
  return x * pintle_two_f(first) * pintle_two_f(second) * pintle_two_f(third);
}
OVERLOAD double ldexp(double x, int e) {
  e = clamp(e, -2200, 2200);
  if (e >= -1022) {
    const int first = min(e, 1023), second = min(e - first, 1023), third = e - first - second;
    return x * as_double((long)(first + 1023) << 52) * as_double((long)(second + 1023) << 52) * as_double((long)(third + 1023) << 52);
  }
  const long bits = as_long(x);
  const int exponent = (int)((bits >> 52) & 0x7ff);
  if (exponent == 0 || exponent == 0x7ff) return exponent == 0 && e < -60 ? x * 0.0 : x * as_double((long)(max(e, -1022) + 1023) << 52) * as_double((long)(min(0, max(e + 1022, -1022)) + 1023) << 52);
  // The number's own exponent takes what it can.
  const int left = exponent + e;
  if (left > 0) return as_double((bits & ~0x7ff0000000000000L) | ((long)left << 52));
  if (left < -60) return copysign(0.0, x);
  return as_double((bits & ~0x7ff0000000000000L) | ((long)(left + 64) << 52)) * 0x1p-64;
}
OVERLOAD half ldexp(half x, int e) { return (half)ldexp((float)x, e); }
#define LDEXPS(T) PARTS_2(T, ldexp, T, int) SECOND_SCALAR_VECTORS(ldexp, T, int)
EACH_FLOAT(LDEXPS)

#define FRACT_LIMIT_float 0x1.fffffep-1f
#define FRACT_LIMIT_double 0x1.fffffffffffffp-1
#define FRACT_LIMIT_half ((half)0x1.ffcp-1f)
#define SECOND_INTEGER(T, S) \
  OVERLOAD T frexp(T x, S int* e) { int own; const T r = pintle_frexp_##T(x, &own); *e = own; return r; } \
  OVERLOAD T lgamma_r(T x, S int* s) { int own = 1; const T r = pintle_lgamma_##T(x, &own); *s = own; return r; } \
  OVERLOAD T remquo(T x, T y, S int* q) { \
    int own = 0; \
    const T r = pintle_remquo_##T(x, y, &own); \
    *q = isnan(x) || isnan(y) || isinf(x) || y == 0 ? 0 : own; \
    return r; \
  } \
  SECOND_INTEGERS(T, S, 2) SECOND_INTEGERS(T, S, 3) SECOND_INTEGERS(T, S, 4) SECOND_INTEGERS(T, S, 8) SECOND_INTEGERS(T, S, 16)
#define SECOND_INTEGERS(T, S, N) \
  OVERLOAD T##N frexp(T##N x, S int##N* e) { \
    T##N r; int##N all; \
    for (int i = 0; i < N; ++i) { int own; ((T*)&r)[i] = frexp(((T*)&x)[i], &own); ((int*)&all)[i] = own; } \
    *e = all; \
    return r; \
  } \
  OVERLOAD T##N lgamma_r(T##N x, S int##N* e) { \
    T##N r; int##N all; \
    for (int i = 0; i < N; ++i) { int own; ((T*)&r)[i] = lgamma_r(((T*)&x)[i], &own); ((int*)&all)[i] = own; } \
    *e = all; \
    return r; \
  } \
  OVERLOAD T##N remquo(T##N x, T##N y, S int##N* e) { \
    T##N r; int##N all; \
    for (int i = 0; i < N; ++i) { int own; ((T*)&r)[i] = remquo(((T*)&x)[i], ((T*)&y)[i], &own); ((int*)&all)[i] = own; } \
    *e = all; \
    return r; \
  }
#define SECOND_INTEGER_IN(S) SECOND_INTEGER(float, S) SECOND_INTEGER(double, S) SECOND_INTEGER(half, S)
SECOND_INTEGER_IN(__private) SECOND_INTEGER_IN(__global) SECOND_INTEGER_IN(__local) SECOND_INTEGER_IN(__generic)
#define LGAMMA(T) OVERLOAD T lgamma(T x) { int sign; return lgamma_r(x, &sign); } PARTS_1(T, lgamma, T)
EACH_FLOAT(LGAMMA)

#define SECOND_RESULTS_IN(S) SECOND_RESULTS(float, S) SECOND_RESULTS(double, S) SECOND_RESULTS(half, S)
#define SECOND_RESULTS(T, S) \
  SECOND_RESULT_1(T, S) SECOND_RESULT_N(T, S, 2) SECOND_RESULT_N(T, S, 3) SECOND_RESULT_N(T, S, 4) SECOND_RESULT_N(T, S, 8) SECOND_RESULT_N(T, S, 16)
#define SECOND_RESULT_1(T, S) \
  OVERLOAD T fract(T x, S T* whole) { \
    const T f = floor(x); \
    *whole = f; \
    return isnan(x) ? x : isinf(x) ? copysign((T)0, x) : fmin(x - f, (T)FRACT_LIMIT_##T); \
  } \
  OVERLOAD T modf(T x, S T* whole) { \
    const T t = trunc(x); \
    *whole = t; \
    return copysign(isinf(x) ? (T)0 : x - t, x); \
  } \
  OVERLOAD T sincos(T x, S T* cosine) { \
    *cosine = cos(x); \
    return sin(x); \
  }
#define SECOND_RESULT_N(T, S, N) \
  OVERLOAD T##N fract(T##N x, S T##N* whole) { \
    T##N r, f; \
    for (int i = 0; i < N; ++i) { T own; ((T*)&r)[i] = fract(((T*)&x)[i], &own); ((T*)&f)[i] = own; } \
    *whole = f; \
    return r; \
  } \
  OVERLOAD T##N modf(T##N x, S T##N* whole) { \
    T##N r, f; \
    for (int i = 0; i < N; ++i) { T own; ((T*)&r)[i] = modf(((T*)&x)[i], &own); ((T*)&f)[i] = own; } \
    *whole = f; \
    return r; \
  } \
  OVERLOAD T##N sincos(T##N x, S T##N* cosine) { \
    *cosine = cos(x); \
    return sin(x); \
  }
SECOND_RESULTS_IN(__private) SECOND_RESULTS_IN(__global) SECOND_RESULTS_IN(__local) SECOND_RESULTS_IN(__generic)

// What is made of others, one element at a time or directly.
#define MADE(T, N) \
  OVERLOAD T##N mad(T##N x, T##N y, T##N z) { return x * y + z; } \
  OVERLOAD T##N degrees(T##N x) { return x * (T##N)DEGREES_##T; } \
  OVERLOAD T##N radians(T##N x) { return x * (T##N)RADIANS_##T; } \
  OVERLOAD T##N mix(T##N x, T##N y, T##N a) { return x + (y - x) * a; } \
  OVERLOAD T##N clamp(T##N x, T##N least, T##N most) { return fmin(fmax(x, least), most); } \
  OVERLOAD T##N min(T##N x, T##N y) { return y < x ? y : x; } \
  OVERLOAD T##N max(T##N x, T##N y) { return x < y ? y : x; } \
  OVERLOAD T##N step(T##N edge, T##N x) { return x < edge ? (T##N)0 : (T##N)1; } \
  OVERLOAD T##N rsqrt(T##N x) { return (T##N)1 / sqrt(x); } \
  OVERLOAD T##N maxmag(T##N x, T##N y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); } \
  OVERLOAD T##N minmag(T##N x, T##N y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); } \
  OVERLOAD T##N smoothstep(T##N least, T##N most, T##N x) { \
    const T##N t = fmin(fmax((x - least) / (most - least), (T##N)0), (T##N)1); \
    return t * t * ((T##N)3 - (T##N)2 * t); \
  }
#define MADE_SCALAR(T, N) \
  OVERLOAD T##N fmin(T##N x, T y) { return fmin(x, (T##N)y); } \
  OVERLOAD T##N fmax(T##N x, T y) { return fmax(x, (T##N)y); } \
  OVERLOAD T##N min(T##N x, T y) { return min(x, (T##N)y); } \
  OVERLOAD T##N max(T##N x, T y) { return max(x, (T##N)y); } \
  OVERLOAD T##N clamp(T##N x, T least, T most) { return clamp(x, (T##N)least, (T##N)most); } \
  OVERLOAD T##N mix(T##N x, T##N y, T a) { return mix(x, y, (T##N)a); } \
  OVERLOAD T##N step(T edge, T##N x) { return step((T##N)edge, x); } \
  OVERLOAD T##N smoothstep(T least, T most, T##N x) { return smoothstep((T##N)least, (T##N)most, x); }
#define DEGREES_float 57.29577951308232f
#define DEGREES_double 57.29577951308232
#define DEGREES_half ((half)57.29577951308232f)
#define RADIANS_float 0.017453292519943295f
#define RADIANS_double 0.017453292519943295
#define RADIANS_half ((half)0.017453292519943295f)
#define ALL_MADE(T) SIZES(MADE, T) VECTORS(MADE_SCALAR, T)
EACH_FLOAT(ALL_MADE)
#define SIGN(T) \
  OVERLOAD T sign(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : isnan(x) ? (T)0 : x; } \
  PARTS_1(T, sign, T)
EACH_FLOAT(SIGN)

// The argument in turns is reduced before pi comes in, so that whole and half turns are exact.
#define PI_FUNCTIONS(T, W) \
  OVERLOAD T acospi(T x) { return (T)(acos((W)x) * (W)0.31830988618379067154); } \
  OVERLOAD T asinpi(T x) { return (T)(asin((W)x) * (W)0.31830988618379067154); } \
  OVERLOAD T atanpi(T x) { return (T)(atan((W)x) * (W)0.31830988618379067154); } \
  OVERLOAD T atan2pi(T y, T x) { return (T)(atan2((W)y, (W)x) * (W)0.31830988618379067154); } \
  OVERLOAD T sinpi(T x) { \
    if (!isfinite(x)) return x - x; \
    const W r = (W)x - (W)2 * rint((W)x * (W)0.5); \
    if (r == 0 || fabs(r) == 1) return copysign((T)0, x); \
    const W part = fabs(r) > (W)0.5 ? copysign((W)1 - fabs(r), r) : r; \
    return (T)sin(part * (W)3.14159265358979323846); \
  } \
  OVERLOAD T cospi(T x) { \
    if (!isfinite(x)) return x - x; \
    const W r = fabs((W)x - (W)2 * rint((W)x * (W)0.5)); \
    if (r == (W)0.5) return 0; \
    return (T)(r <= (W)0.25 ? cos(r * (W)3.14159265358979323846) \
                            : r < (W)0.75 ? sin(((W)0.5 - r) * (W)3.14159265358979323846) \
                                          : -cos(((W)1 - r) * (W)3.14159265358979323846)); \
  } \
  OVERLOAD T tanpi(T x) { \
    const T s = sinpi(x), c = cospi(x); \
    return s == 0 && isfinite(x) ? copysign((T)0, c < 0 ? -s : s) : s / c; \
  } \
  PARTS_1(T, acospi, T) PARTS_1(T, asinpi, T) PARTS_1(T, atanpi, T) PARTS_2(T, atan2pi, T, T) PARTS_1(T, sinpi, T) \
  PARTS_1(T, cospi, T) PARTS_1(T, tanpi, T)
PI_FUNCTIONS(float, double) PI_FUNCTIONS(double, double) PI_FUNCTIONS(half, float)

// Powers. A float's is computed in double, which is exact enough for 16 ulp whatever the exponent.
#define POWERS(T, W) \
  OVERLOAD T powr(T x, T y) { \
    if (x < 0 || (x == 0 && y == 0) || (isinf(x) && y == 0) || (x == 1 && isinf(y)) || isnan(x) || isnan(y)) return (T)NAN; \
    return pow(fabs(x), y); \
  } \
  OVERLOAD T pown(T x, int y) { \
    W result = 1, factor = x; \
    uint n = abs(y); \
    if (n > 65536) return (T)libm_d_pown((double)x, (double)y); \
    for (; n != 0; n >>= 1, factor *= factor) \
      if (n & 1) result *= factor; \
    return (T)(y < 0 ? (W)1 / result : result); \
  } \
  OVERLOAD T rootn(T x, int y) { \
    if (y == 0) return (T)NAN; \
    if (x < 0 && !(y & 1)) return (T)NAN; \
    if (x == 0) return y > 0 ? ((y & 1) ? x : (T)0) : ((y & 1) ? copysign((T)INFINITY, x) : (T)INFINITY); \
    return copysign((T)libm_d_pown((double)fabs(x), 1.0 / (double)y), x); \
  } \
  PARTS_2(T, powr, T, T) PARTS_2(T, pown, T, int) PARTS_2(T, rootn, T, int)
double libm_d_pown(double, double) __asm__("pow");
POWERS(float, double) POWERS(half, double)
OVERLOAD double powr(double x, double y) {
  if (x < 0 || (x == 0 && y == 0) || (isinf(x) && y == 0) || (x == 1 && isinf(y)) || isnan(x) || isnan(y)) return NAN;
  return pow(fabs(x), y);
}
OVERLOAD double pown(double x, int y) { return libm_d_pown(x, (double)y); }
OVERLOAD double rootn(double x, int y) {
  if (y == 0 || (x < 0 && !(y & 1))) return NAN;
  if (x == 0) return y > 0 ? ((y & 1) ? x : 0.0) : ((y & 1) ? copysign((double)INFINITY, x) : (double)INFINITY);
  if (y == 1) return x;
  if (y == 2) return sqrt(x);
  if (y == 3) return cbrt(x);
  // 1 / y is rounded, and the logarithm of x multiplies what that loses.
  const double part = 1.0 / (double)y, lost = fma(-part, (double)y, 1.0) / (double)y;
  const double root = libm_d_pown(fabs(x), part);
  return copysign(isfinite(root) && root != 0 ? root + root * (lost * log(fabs(x))) : root, x);
}
PARTS_2(double, powr, double, double) PARTS_2(double, pown, double, int) PARTS_2(double, rootn, double, int)

// Faster ones, whose accuracy is free.
#define SAME_AS(f, g, N) \
  OVERLOAD float##N native_##f(float##N x) { return g; } \
  OVERLOAD float##N half_##f(float##N x) { return g; }
#define SAME_ALL(f, g) SAME_AS(f, g, ) SAME_AS(f, g, 2) SAME_AS(f, g, 3) SAME_AS(f, g, 4) SAME_AS(f, g, 8) SAME_AS(f, g, 16)
SAME_ALL(cos, cos(x)) SAME_ALL(exp, exp(x)) SAME_ALL(exp2, exp2(x)) SAME_ALL(exp10, exp10(x)) SAME_ALL(log, log(x))
SAME_ALL(log2, log2(x)) SAME_ALL(log10, log10(x)) SAME_ALL(recip, 1.0f / x) SAME_ALL(rsqrt, rsqrt(x)) SAME_ALL(sin, sin(x))
SAME_ALL(sqrt, sqrt(x)) SAME_ALL(tan, tan(x))
#define SAME_AS_2(f, g, N) \
  OVERLOAD float##N native_##f(float##N x, float##N y) { return g; } \
  OVERLOAD float##N half_##f(float##N x, float##N y) { return g; }
#define SAME_ALL_2(f, g) SAME_AS_2(f, g, ) SAME_AS_2(f, g, 2) SAME_AS_2(f, g, 3) SAME_AS_2(f, g, 4) SAME_AS_2(f, g, 8) SAME_AS_2(f, g, 16)
SAME_ALL_2(divide, x / y) SAME_ALL_2(powr, powr(x, y))

// Geometry. Lengths are scaled where squares would leave the range.
#define DOTS(T) \
  OVERLOAD T dot(T a, T b) { return a * b; } \
  OVERLOAD T dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; } \
  OVERLOAD T dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
  OVERLOAD T dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; } \
  OVERLOAD T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; } \
  OVERLOAD T##4 cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), (T)0); } \
  OVERLOAD T pintle_most(T x) { return fabs(x); } \
  OVERLOAD T pintle_most(T##2 x) { return fmax(fabs(x.x), fabs(x.y)); } \
  OVERLOAD T pintle_most(T##3 x) { return fmax(pintle_most(x.xy), fabs(x.z)); } \
  OVERLOAD T pintle_most(T##4 x) { return fmax(pintle_most(x.lo), pintle_most(x.hi)); } \
  LENGTHS(T, ) LENGTHS(T, 2) LENGTHS(T, 3) LENGTHS(T, 4)
#define LENGTHS(T, N) \
  OVERLOAD T length(T##N x) { \
    const T square = dot(x, x); \
    if (square >= (T)SQUARE_LEAST_##T && square < (T)INFINITY) return sqrt(square); \
    const T most = pintle_most(x); \
    if (most == 0 || isinf(most) || isnan(square)) return isinf(most) ? (T)INFINITY : most + square * 0; \
    const T##N part = x / most; \
    return most * sqrt(dot(part, part)); \
  } \
  OVERLOAD T distance(T##N a, T##N b) { return length(a - b); } \
  OVERLOAD T##N normalize(T##N x) { \
    const T square = dot(x, x); \
    if (square >= (T)SQUARE_LEAST_##T && square < (T)INFINITY) return x / sqrt(square); \
    const T most = pintle_most(x); \
    if (most == 0 || isinf(most) || isnan(square)) return isinf(most) ? NORMAL_OF_INFINITE(T, N) : x; \
    const T##N part = x / most; \
    return part / sqrt(dot(part, part)); \
  }
#define NORMAL_OF_INFINITE(T, N) pintle_infinite(x)
#define SQUARE_LEAST_float 0x1p-100f
#define SQUARE_LEAST_double 0x1p-900
#define SQUARE_LEAST_half ((half)0x1p-8f)
#define INFINITES(T) \
  INLINE __attribute__((overloadable)) T pintle_infinite(T x) { return copysign((T)1, x); } \
  INFINITE(T, 2) INFINITE(T, 3) INFINITE(T, 4)
#define INFINITE(T, N) \
  INLINE __attribute__((overloadable)) T##N pintle_infinite(T##N x) { \
    const T##N ones = copysign(select((T##N)0, (T##N)1, isinf(x)), x); \
    return ones / sqrt(pintle_ones(ones)); \
  }
#define ONES(T) \
  INLINE __attribute__((overloadable)) T pintle_ones(T x) { return x * x; } \
  INLINE __attribute__((overloadable)) T pintle_ones(T##2 x) { return x.x * x.x + x.y * x.y; } \
  INLINE __attribute__((overloadable)) T pintle_ones(T##3 x) { return x.x * x.x + x.y * x.y + x.z * x.z; } \
  INLINE __attribute__((overloadable)) T pintle_ones(T##4 x) { return x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w; }
EACH_FLOAT(ONES)
EACH_FLOAT(INFINITES)
EACH_FLOAT(DOTS)
#define FAST(N) \
  OVERLOAD float fast_length(float##N x) { return sqrt(dot(x, x)); } \
  OVERLOAD float fast_distance(float##N a, float##N b) { return fast_length(a - b); } \
  OVERLOAD float##N fast_normalize(float##N x) { return dot(x, x) == 0 ? x : x / sqrt(dot(x, x)); }
FAST() FAST(2) FAST(3) FAST(4)
