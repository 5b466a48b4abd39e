// Integer functions, and those of both integers and floating-point numbers that only compare.
#define MIN_MAX(T, N) \
  OVERLOAD T##N min(T##N x, T##N y) { return __builtin_elementwise_min(x, y); } \
  OVERLOAD T##N max(T##N x, T##N y) { return __builtin_elementwise_max(x, y); } \
  OVERLOAD T##N clamp(T##N x, T##N least, T##N most) { return min(max(x, least), most); }
#define MIN_MAX_SCALAR(T, N) \
  OVERLOAD T##N min(T##N x, T y) { return min(x, (T##N)(y)); } \
  OVERLOAD T##N max(T##N x, T y) { return max(x, (T##N)(y)); } \
  OVERLOAD T##N clamp(T##N x, T least, T most) { return clamp(x, (T##N)(least), (T##N)(most)); }
#define ALL_MIN_MAX(T) SIZES(MIN_MAX, T) VECTORS(MIN_MAX_SCALAR, T)
EACH_INTEGER(ALL_MIN_MAX)

#define BITS(T) (8 * sizeof(T))
#define COMMON(T, N) \
  OVERLOAD T##N hadd(T##N x, T##N y) { return (x & y) + (T##N)((x ^ y) >> (T##N)1); } \
  OVERLOAD T##N rhadd(T##N x, T##N y) { return (x | y) - (T##N)((x ^ y) >> (T##N)1); }
#define ALL_COMMON(T) SIZES(COMMON, T)
EACH_INTEGER(ALL_COMMON)
#define SATURATING(T, N) \
  OVERLOAD T##N add_sat(T##N x, T##N y) { return __builtin_elementwise_add_sat(x, y); } \
  OVERLOAD T##N sub_sat(T##N x, T##N y) { return __builtin_elementwise_sub_sat(x, y); }
#define ALL_SATURATING(T) VECTORS(SATURATING, T)
EACH_INTEGER(ALL_SATURATING)
SATURATING(int, ) SATURATING(uint, ) SATURATING(long, ) SATURATING(ulong, )
// The compiler's builtin takes a scalar of a small type as an int, and saturates at the ends of int.
#define SATURATING_SMALL(T, least, most) \
  OVERLOAD T add_sat(T x, T y) { return (T)clamp((int)x + (int)y, least, most); } \
  OVERLOAD T sub_sat(T x, T y) { return (T)clamp((int)x - (int)y, least, most); }
SATURATING_SMALL(char, CHAR_MIN, CHAR_MAX) SATURATING_SMALL(uchar, 0, UCHAR_MAX) SATURATING_SMALL(short, SHRT_MIN, SHRT_MAX)
SATURATING_SMALL(ushort, 0, USHRT_MAX)

#define OF_UNSIGNED(T, N) \
  OVERLOAD T##N abs(T##N x) { return x; } \
  OVERLOAD T##N abs_diff(T##N x, T##N y) { return max(x, y) - min(x, y); } \
  OVERLOAD T##N rotate(T##N x, T##N by) { \
    const T##N left = by & (T##N)(BITS(T) - 1), right = (T##N)(-by) & (T##N)(BITS(T) - 1); \
    return (T##N)(x << left) | (T##N)(x >> right); \
  }
#define ALL_OF_UNSIGNED(T) SIZES(OF_UNSIGNED, T)
EACH_UNSIGNED(ALL_OF_UNSIGNED)

#define OF_SIGNED_(T, U, N) \
  OVERLOAD U##N abs(T##N x) { return as_##U##N((T##N)__builtin_elementwise_abs(x)); } \
  OVERLOAD U##N abs_diff(T##N x, T##N y) { return as_##U##N(max(x, y)) - as_##U##N(min(x, y)); } \
  OVERLOAD T##N rotate(T##N x, T##N by) { return as_##T##N(rotate(as_##U##N(x), as_##U##N(by))); }
#define OF_SIGNED_2(T, U, N) OF_SIGNED_(T, U, N)
#define OF_SIGNED(T, N) OF_SIGNED_2(T, UNSIGNED(T), N)
#define ALL_OF_SIGNED(T) SIZES(OF_SIGNED, T)
EACH_SIGNED(ALL_OF_SIGNED)

// Bits are counted one element at a time; zero has as many as the type.
#define COUNTS(T, U) \
  OVERLOAD T clz(T x) { return (U)x == 0 ? BITS(T) : __builtin_clzl((ulong)(U)x) - (64 - BITS(T)); } \
  OVERLOAD T ctz(T x) { return (U)x == 0 ? BITS(T) : __builtin_ctzl((ulong)(U)x); } \
  OVERLOAD T popcount(T x) { return __builtin_popcountl((ulong)(U)x); } \
  PARTS_1(T, clz, T) PARTS_1(T, ctz, T) PARTS_1(T, popcount, T)
#define ALL_COUNTS(T) COUNTS(T, UNSIGNED(T))
EACH_INTEGER(ALL_COUNTS)

// The high half of a product, and what is built on it.
#define HIGH(T, W) \
  OVERLOAD T mul_hi(T x, T y) { return (T)(((W)x * (W)y) >> BITS(T)); } \
  PARTS_2(T, mul_hi, T, T)
HIGH(char, int) HIGH(uchar, uint) HIGH(short, int) HIGH(ushort, uint) HIGH(int, long) HIGH(uint, ulong)
HIGH(long, __int128) HIGH(ulong, unsigned __int128)
#define MAD_HI(T, N) OVERLOAD T##N mad_hi(T##N x, T##N y, T##N z) { return mul_hi(x, y) + z; }
#define ALL_MAD_HI(T) SIZES(MAD_HI, T)
EACH_INTEGER(ALL_MAD_HI)
#define MAD_SAT(T, W, least, most) \
  OVERLOAD T mad_sat(T x, T y, T z) { \
    const W all = (W)x * (W)y + (W)z; \
    return all > (W)most ? most : all < (W)least ? least : (T)all; \
  } \
  PARTS_3(T, mad_sat, T)
MAD_SAT(char, int, CHAR_MIN, CHAR_MAX) MAD_SAT(uchar, int, 0, UCHAR_MAX) MAD_SAT(short, long, SHRT_MIN, SHRT_MAX)
MAD_SAT(ushort, long, 0, USHRT_MAX) MAD_SAT(int, long, INT_MIN, INT_MAX) MAD_SAT(uint, ulong, 0, UINT_MAX)
MAD_SAT(long, __int128, LONG_MIN, LONG_MAX) MAD_SAT(ulong, unsigned __int128, 0, ULONG_MAX)

#define MUL24(T, N) \
  OVERLOAD T##N mul24(T##N x, T##N y) { return ((x << (T##N)8) >> (T##N)8) * ((y << (T##N)8) >> (T##N)8); } \
  OVERLOAD T##N mad24(T##N x, T##N y, T##N z) { return mul24(x, y) + z; }
SIZES(MUL24, int) SIZES(MUL24, uint)

#define UPSAMPLE(R, H, L, N) \
  OVERLOAD R##N upsample(H##N high, L##N low) { \
    return (convert_##R##N(high) << (R##N)BITS(L)) | convert_##R##N(low); \
  }
#define UPSAMPLES(R, H, L) \
  UPSAMPLE(R, H, L, ) UPSAMPLE(R, H, L, 2) UPSAMPLE(R, H, L, 3) UPSAMPLE(R, H, L, 4) UPSAMPLE(R, H, L, 8) UPSAMPLE(R, H, L, 16)
UPSAMPLES(short, char, uchar) UPSAMPLES(ushort, uchar, uchar) UPSAMPLES(int, short, ushort) UPSAMPLES(uint, ushort, ushort)
UPSAMPLES(long, int, uint) UPSAMPLES(ulong, uint, uint)

// bitselect and select of every type; a vector's condition is the highest bit of each element.
#define BITSELECT(T, N) OVERLOAD T##N bitselect(T##N a, T##N b, T##N c) { return (a & ~c) | (b & c); }
#define ALL_BITSELECT(T) SIZES(BITSELECT, T)
EACH_INTEGER(ALL_BITSELECT)
#define BITSELECT_FLOAT(T, I, N) \
  OVERLOAD T##N bitselect(T##N a, T##N b, T##N c) { return as_##T##N(bitselect(as_##I##N(a), as_##I##N(b), as_##I##N(c))); }
#define BITSELECTS_FLOAT(T, I) \
  BITSELECT_FLOAT(T, I, ) BITSELECT_FLOAT(T, I, 2) BITSELECT_FLOAT(T, I, 3) BITSELECT_FLOAT(T, I, 4) BITSELECT_FLOAT(T, I, 8) \
  BITSELECT_FLOAT(T, I, 16)
BITSELECTS_FLOAT(float, int) BITSELECTS_FLOAT(double, long) BITSELECTS_FLOAT(half, short)
#define SELECT_VECTOR(T, S, C, N) \
  OVERLOAD T##N select(T##N a, T##N b, C##N c) { return as_##S##N(c) < (S##N)0 ? b : a; }
#define SELECTS(T, S, C) \
  OVERLOAD T select(T a, T b, C c) { return c ? b : a; } \
  SELECT_VECTOR(T, S, C, 2) SELECT_VECTOR(T, S, C, 3) SELECT_VECTOR(T, S, C, 4) SELECT_VECTOR(T, S, C, 8) SELECT_VECTOR(T, S, C, 16)
#define SELECTS_2(T, S, U) SELECTS(T, S, S) SELECTS(T, S, U)
#define SELECTS_1(T, S) SELECTS_2(T, S, UNSIGNED(S))
#define SELECTS_OF(T) SELECTS_1(T, SAME(T))
EACH_TYPE(SELECTS_OF)

// any and all: the highest bit of each element.
#define ANY_ALL(T) \
  OVERLOAD int any(T x) { return x < 0; } \
  OVERLOAD int all(T x) { return x < 0; } \
  VECTORS(ANY_ALL_VECTOR, T)
#define ANY_ALL_VECTOR(T, N) ANY_ALL_##N(T)
#define ANY_ALL_2(T) ANY_ALL_OF(T, 2, x.x | x.y, x.x & x.y)
#define ANY_ALL_3(T) ANY_ALL_OF(T, 3, x.x | x.y | x.z, x.x & x.y & x.z)
#define ANY_ALL_4(T) ANY_ALL_OF(T, 4, x.x | x.y | x.z | x.w, x.x & x.y & x.z & x.w)
#define ANY_ALL_OF(T, N, either, both) \
  OVERLOAD int any(T##N x) { return (T)(either) < 0; } \
  OVERLOAD int all(T##N x) { return (T)(both) < 0; }
#define ANY_ALL_8(T) \
  OVERLOAD int any(T##8 x) { return any(x.lo | x.hi); } \
  OVERLOAD int all(T##8 x) { return all(x.lo & x.hi); }
#define ANY_ALL_16(T) \
  OVERLOAD int any(T##16 x) { return any(x.lo | x.hi); } \
  OVERLOAD int all(T##16 x) { return all(x.lo & x.hi); }
EACH_SIGNED(ANY_ALL)
