// shuffle and shuffle2: the mask's low bits choose elements.
#define SHUFFLE(T, M, N, K) \
  OVERLOAD T##N shuffle(T##K x, M##N mask) { \
    T##N r; \
    for (int i = 0; i < N; ++i) r[i] = x[mask[i] & (K - 1)]; \
    return r; \
  } \
  OVERLOAD T##N shuffle2(T##K x, T##K y, M##N mask) { \
    T##N r; \
    for (int i = 0; i < N; ++i) r[i] = mask[i] & K ? y[mask[i] & (K - 1)] : x[mask[i] & (K - 1)]; \
    return r; \
  }
#define SHUFFLES_N(T, M, N) SHUFFLE(T, M, N, 2) SHUFFLE(T, M, N, 4) SHUFFLE(T, M, N, 8) SHUFFLE(T, M, N, 16)
#define SHUFFLES(T, M) SHUFFLES_N(T, M, 2) SHUFFLES_N(T, M, 4) SHUFFLES_N(T, M, 8) SHUFFLES_N(T, M, 16)
#define MASK_char uchar
#define MASK_uchar uchar
#define MASK_short ushort
#define MASK_ushort ushort
#define MASK_int uint
#define MASK_uint uint
#define MASK_long ulong
#define MASK_ulong ulong
#define MASK_float uint
#define MASK_double ulong
#define MASK_half ushort
#define SHUFFLES_1(T, M) SHUFFLES(T, M)
#define ALL_SHUFFLES(T) SHUFFLES_1(T, JOIN(MASK_, T))
EACH_TYPE(ALL_SHUFFLES)
