// How one text becomes a function for each type: F(type) for each scalar, and for each size of vector.
#define EACH_SIGNED(F) F(char) F(short) F(int) F(long)
#define EACH_UNSIGNED(F) F(uchar) F(ushort) F(uint) F(ulong)
#define EACH_INTEGER(F) EACH_SIGNED(F) EACH_UNSIGNED(F)
#define EACH_FLOAT(F) F(float) F(double) F(half)
#define EACH_TYPE(F) EACH_INTEGER(F) EACH_FLOAT(F)

// The type of as many signed integers of the same width: what a comparison of vectors has.
#define SAME_char char
#define SAME_uchar char
#define SAME_short short
#define SAME_ushort short
#define SAME_int int
#define SAME_uint int
#define SAME_long long
#define SAME_ulong long
#define SAME_float int
#define SAME_double long
#define SAME_half short
#define UNSIGNED_char uchar
#define UNSIGNED_short ushort
#define UNSIGNED_int uint
#define UNSIGNED_long ulong
#define UNSIGNED_uchar uchar
#define UNSIGNED_ushort ushort
#define UNSIGNED_uint uint
#define UNSIGNED_ulong ulong

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define SAME(T) JOIN(SAME_, T)
#define UNSIGNED(T) JOIN(UNSIGNED_, T)

// F(T, N): N is empty for the scalar.
#define VECTORS(F, T) F(T, 2) F(T, 3) F(T, 4) F(T, 8) F(T, 16)
#define SIZES(F, T) F(T, ) VECTORS(F, T)

// Functions of vectors out of the function of parts: halves, down to the scalar.
#define PARTS_1(R, f, A) \
  OVERLOAD R##2 f(A##2 x) { return (R##2)(f(x.x), f(x.y)); } \
  OVERLOAD R##3 f(A##3 x) { return (R##3)(f(x.x), f(x.y), f(x.z)); } \
  OVERLOAD R##4 f(A##4 x) { return (R##4)(f(x.x), f(x.y), f(x.z), f(x.w)); } \
  OVERLOAD R##8 f(A##8 x) { return (R##8)(f(x.lo), f(x.hi)); } \
  OVERLOAD R##16 f(A##16 x) { return (R##16)(f(x.lo), f(x.hi)); }
#define PARTS_2(R, f, A, B) \
  OVERLOAD R##2 f(A##2 x, B##2 y) { return (R##2)(f(x.x, y.x), f(x.y, y.y)); } \
  OVERLOAD R##3 f(A##3 x, B##3 y) { return (R##3)(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z)); } \
  OVERLOAD R##4 f(A##4 x, B##4 y) { return (R##4)(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z), f(x.w, y.w)); } \
  OVERLOAD R##8 f(A##8 x, B##8 y) { return (R##8)(f(x.lo, y.lo), f(x.hi, y.hi)); } \
  OVERLOAD R##16 f(A##16 x, B##16 y) { return (R##16)(f(x.lo, y.lo), f(x.hi, y.hi)); }
#define PARTS_3(R, f, A) \
  OVERLOAD R##2 f(A##2 x, A##2 y, A##2 z) { return (R##2)(f(x.x, y.x, z.x), f(x.y, y.y, z.y)); } \
  OVERLOAD R##3 f(A##3 x, A##3 y, A##3 z) { return (R##3)(f(x.xy, y.xy, z.xy), f(x.z, y.z, z.z)); } \
  OVERLOAD R##4 f(A##4 x, A##4 y, A##4 z) { return (R##4)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); } \
  OVERLOAD R##8 f(A##8 x, A##8 y, A##8 z) { return (R##8)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); } \
  OVERLOAD R##16 f(A##16 x, A##16 y, A##16 z) { return (R##16)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); }
// The second operand is one scalar for all elements.
#define SECOND_SCALAR(f, T, N, B) OVERLOAD T##N f(T##N x, B y) { return f(x, (B##N)(y)); }
#define SECOND_SCALAR_VECTORS(f, T, B) \
  SECOND_SCALAR(f, T, 2, B) SECOND_SCALAR(f, T, 3, B) SECOND_SCALAR(f, T, 4, B) SECOND_SCALAR(f, T, 8, B) \
  SECOND_SCALAR(f, T, 16, B)

// Pointers, as each version of the language names their spaces.
#define EACH_SPACE(F) F(__global) F(__local) F(__private) F(__generic)
#define EACH_SPACE_READ(F) EACH_SPACE(F) F(__constant)
