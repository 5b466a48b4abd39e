/* Conversion of elements from one dtype to another, in the host's memory: which value, which rounding, what happens
 * beyond the range. Each element is converted as an exact real number that is rounded once; pintle/convert.h has every
 * rule. Any dtype becomes any other, but complex64 stays complex64. */
#ifndef PINTLE_C_CONVERT_H
#define PINTLE_C_CONVERT_H

#include "pintle/c/buffer.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The neighbour that a value between two values of the target becomes. */
enum {
  PINTLE_ROUNDING_NEAREST_EVEN = 1, /* The nearer one; where both are equally near, the one whose last bit is 0. */
  PINTLE_ROUNDING_TOWARD_ZERO = 2,  /* The one of smaller magnitude. */
  PINTLE_ROUNDING_STOCHASTIC = 3    /* The one of larger magnitude with the probability that makes the mean exact. Equal
                                       seeds give equal results. */
};

/* What becomes of a value beyond the target's largest finite value. The value is rounded first. */
enum {
  PINTLE_OVERFLOW_INFINITY = 1, /* Infinity with the value's sign. NaN where the target has no infinity (f8_e4m3fn);
                                   an integer's least or largest value. */
  PINTLE_OVERFLOW_SATURATE = 2, /* The largest finite value with the value's sign. */
  PINTLE_OVERFLOW_ERROR = 3     /* PINTLE_INVALID_ARGUMENT, which names the first such element; nothing is written. */
};

/* What becomes of a NaN in a floating target. In an integer target it becomes 0, or the error above; in a bool, true.
 */
enum {
  PINTLE_NAN_CANONICAL = 1, /* The positive quiet NaN without payload. */
  PINTLE_NAN_PAYLOAD = 2    /* Its sign and the leading bits of its fraction stay. */
};

/* A conversion of elements. */
typedef struct pintle_conversion {
  uint32_t size;
  uint32_t from;          /* PINTLE_F32 ... */
  uint32_t to;            /* PINTLE_F16 ... */
  uint32_t rounding;      /* 0: PINTLE_ROUNDING_NEAREST_EVEN. */
  uint32_t overflow;      /* 0: PINTLE_OVERFLOW_INFINITY. */
  uint32_t nan;           /* 0: PINTLE_NAN_CANONICAL. */
  uint64_t seed;          /* For PINTLE_ROUNDING_STOCHASTIC. */
  uint64_t first_element; /* The number of the first element within the whole, for callers that convert in pieces. */
} pintle_conversion;

/* The bytes of the result for `from_bytes` bytes. PINTLE_INVALID_ARGUMENT for a size that is no whole number of
 * elements, a conversion that is not supported, and a result beyond 64 bits. Any thread. */
PINTLE_C_API pintle_status pintle_conversion_bytes(const pintle_conversion* how, uint64_t from_bytes, uint64_t* bytes,
                                                   pintle_error* error);
/* Converts every element, in the caller's thread; neither memory needs an alignment, and each may be NULL where it has
 * 0 bytes. PINTLE_INVALID_ARGUMENT, with nothing written, for what pintle_conversion_bytes refuses, one element too
 * many or too few in `to`, memory that overlaps, and a value beyond the range under PINTLE_OVERFLOW_ERROR. Any thread.
 */
PINTLE_C_API pintle_status pintle_conversion_run(const pintle_conversion* how, void* to, size_t to_bytes,
                                                 const void* from, size_t from_bytes, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
