// convert_T[_sat][_mode]: element by element. Plain conversions go to zero for integers and to the nearest for the rest.
#define LEAST_OF_char CHAR_MIN
#define MOST_OF_char CHAR_MAX
#define LEAST_OF_uchar 0
#define MOST_OF_uchar UCHAR_MAX
#define LEAST_OF_short SHRT_MIN
#define MOST_OF_short SHRT_MAX
#define LEAST_OF_ushort 0
#define MOST_OF_ushort USHRT_MAX
#define LEAST_OF_int INT_MIN
#define MOST_OF_int INT_MAX
#define LEAST_OF_uint 0u
#define MOST_OF_uint UINT_MAX
#define LEAST_OF_long LONG_MIN
#define MOST_OF_long LONG_MAX
#define LEAST_OF_ulong 0ul
#define MOST_OF_ulong ULONG_MAX

// The names of vectors' conversions differ from the scalar's: convert_int, convert_int4.
#define BY_ELEMENT(R, A, mode) \
  OVERLOAD R##2 convert_##R##2##mode(A##2 x) { return (R##2)(convert_##R##mode(x.x), convert_##R##mode(x.y)); } \
  OVERLOAD R##3 convert_##R##3##mode(A##3 x) { return (R##3)(convert_##R##mode(x.x), convert_##R##mode(x.y), convert_##R##mode(x.z)); } \
  OVERLOAD R##4 convert_##R##4##mode(A##4 x) { return (R##4)(convert_##R##2##mode(x.lo), convert_##R##2##mode(x.hi)); } \
  OVERLOAD R##8 convert_##R##8##mode(A##8 x) { return (R##8)(convert_##R##4##mode(x.lo), convert_##R##4##mode(x.hi)); } \
  OVERLOAD R##16 convert_##R##16##mode(A##16 x) { return (R##16)(convert_##R##8##mode(x.lo), convert_##R##8##mode(x.hi)); }
#define AT_ONCE(R, A, mode) \
  OVERLOAD R##2 convert_##R##2##mode(A##2 x) { return __builtin_convertvector(x, R##2); } \
  OVERLOAD R##3 convert_##R##3##mode(A##3 x) { return __builtin_convertvector(x, R##3); } \
  OVERLOAD R##4 convert_##R##4##mode(A##4 x) { return __builtin_convertvector(x, R##4); } \
  OVERLOAD R##8 convert_##R##8##mode(A##8 x) { return __builtin_convertvector(x, R##8); } \
  OVERLOAD R##16 convert_##R##16##mode(A##16 x) { return __builtin_convertvector(x, R##16); }
#define PLAIN(R, A, mode) OVERLOAD R convert_##R##mode(A x) { return (R)x; } AT_ONCE(R, A, mode)
#define EACH_MODE(M, R, A) M(R, A, ) M(R, A, _rte) M(R, A, _rtz) M(R, A, _rtp) M(R, A, _rtn)

// From integers to integers the mode says nothing. The compare is in the type that holds both.
#define SATURATED(R, A, mode) \
  OVERLOAD R convert_##R##_sat##mode(A x) { \
    return (__int128)x > (__int128)MOST_OF_##R ? (R)MOST_OF_##R : (__int128)x < (__int128)LEAST_OF_##R ? (R)LEAST_OF_##R : (R)x; \
  } \
  BY_ELEMENT(R, A, _sat##mode)
#define INTEGER_OF_INTEGER(R, A) EACH_MODE(PLAIN, R, A) EACH_MODE(SATURATED, R, A)

// From floating point: rounded as the mode says, then cut to the range where it is asked for; a NaN becomes 0.
#define ROUND_(x) trunc(x)
#define ROUND__rte(x) rint(x)
#define ROUND__rtz(x) trunc(x)
#define ROUND__rtp(x) ceil(x)
#define ROUND__rtn(x) floor(x)
#define ROUNDED(R, A, mode) OVERLOAD R convert_##R##mode(A x) { return (R)JOIN(ROUND_, mode)(x); } BY_ELEMENT(R, A, mode)
#define ROUNDED_SAT(R, A, mode) \
  OVERLOAD R convert_##R##_sat##mode(A x) { \
    const double y = (double)JOIN(ROUND_, mode)(x); \
    return y != y ? (R)0 : y >= (double)MOST_OF_##R ? (R)MOST_OF_##R : y <= (double)LEAST_OF_##R ? (R)LEAST_OF_##R : (R)y; \
  } \
  BY_ELEMENT(R, A, _sat##mode)
#define INTEGER_OF_FLOAT(R, A) \
  PLAIN(R, A, ) PLAIN(R, A, _rtz) ROUNDED(R, A, _rte) ROUNDED(R, A, _rtp) ROUNDED(R, A, _rtn) EACH_MODE(ROUNDED_SAT, R, A)

// To floating point, the nearest is the processor's own. In another mode the result goes one step where it is on the wrong side.
#define EXACT(R, A) EACH_MODE(PLAIN, R, A)
#define STEPPED(R, A, W, mode, wrong, direction) \
  OVERLOAD R convert_##R##mode(A x) { \
    const R r = (R)x; \
    const W back = (W)r, given = (W)x; \
    return wrong ? nextafter(r, direction) : r; \
  } \
  BY_ELEMENT(R, A, mode)
#define STEPPED_ALL(R, A, W) \
  PLAIN(R, A, ) PLAIN(R, A, _rte) STEPPED(R, A, W, _rtp, back < given, (R)INFINITY) STEPPED(R, A, W, _rtn, back > given, -(R)INFINITY) \
  STEPPED(R, A, W, _rtz, (given < 0 ? back < given : back > given), (R)0)
#define OF_FLOAT_TYPES(A) INTEGER_OF_FLOAT(char, A) INTEGER_OF_FLOAT(uchar, A) INTEGER_OF_FLOAT(short, A) INTEGER_OF_FLOAT(ushort, A) \
  INTEGER_OF_FLOAT(int, A) INTEGER_OF_FLOAT(uint, A) INTEGER_OF_FLOAT(long, A) INTEGER_OF_FLOAT(ulong, A)
#define OF_INTEGER_TYPES(A) INTEGER_OF_INTEGER(char, A) INTEGER_OF_INTEGER(uchar, A) INTEGER_OF_INTEGER(short, A) \
  INTEGER_OF_INTEGER(ushort, A) INTEGER_OF_INTEGER(int, A) INTEGER_OF_INTEGER(uint, A) INTEGER_OF_INTEGER(long, A) INTEGER_OF_INTEGER(ulong, A)
EACH_INTEGER(OF_INTEGER_TYPES)
EACH_FLOAT(OF_FLOAT_TYPES)
EXACT(float, char) EXACT(float, uchar) EXACT(float, short) EXACT(float, ushort) EXACT(float, half) EXACT(float, float)
EXACT(double, char) EXACT(double, uchar) EXACT(double, short) EXACT(double, ushort) EXACT(double, int) EXACT(double, uint)
EXACT(double, half) EXACT(double, float) EXACT(double, double) EXACT(half, half) EXACT(half, char) EXACT(half, uchar)
STEPPED_ALL(float, int, double) STEPPED_ALL(float, uint, double) STEPPED_ALL(float, double, double)
STEPPED_ALL(half, short, float) STEPPED_ALL(half, ushort, float) STEPPED_ALL(half, int, double) STEPPED_ALL(half, uint, double)
STEPPED_ALL(half, float, float) STEPPED_ALL(half, double, double)
// A 64-bit number fits only in an integer that is wider; 2 to the 64th is an exact float, and out of range of neither.
STEPPED_ALL(float, long, __int128) STEPPED_ALL(float, ulong, __int128) STEPPED_ALL(double, long, __int128)
STEPPED_ALL(double, ulong, __int128)
#define LONG_TO_HALF(A) \
  PLAIN(half, A, ) PLAIN(half, A, _rte) LONG_TO_HALF_(A, _rtp) LONG_TO_HALF_(A, _rtn) LONG_TO_HALF_(A, _rtz)
#define LONG_TO_HALF_(A, mode) \
  OVERLOAD half convert_half##mode(A x) { return convert_half##mode((int)(x > (A)100000 ? 100000 : x < (A)0 && (long)x < -100000 ? -100000 : (long)x)); } \
  BY_ELEMENT(half, A, mode)
LONG_TO_HALF(long) LONG_TO_HALF(ulong)
