// The vectors of a fold, for one instruction set. No guard: foreach_target.h includes this file once for each set. The
// code uses only the vector types of GCC and Clang, so that every instruction set gives the same bits.
#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/convert_value.h"
#include "collective/fold/combine.h"

HWY_BEFORE_NAMESPACE();
namespace pintle::collective {
namespace {
namespace HWY_NAMESPACE {

using base::FloatFormat;

constexpr std::size_t vector_bytes = HWY_MAX_BYTES < 64 ? HWY_MAX_BYTES : 64;

template <class T>
struct VectorOf {
  using Type __attribute__((vector_size(vector_bytes))) = T;
};
template <class T>
using Vector = typename VectorOf<T>::Type;

template <class T>
[[gnu::always_inline]] inline Vector<T> load(const std::byte* from) noexcept {
  Vector<T> vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

template <class Lanes>
[[gnu::always_inline]] inline void store(std::byte* to, Lanes lanes) noexcept {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// The compiler decides which of two NaNs a sum keeps, since it may swap the operands. So neither is kept.
template <class Lanes, class T>
[[gnu::always_inline]] inline Lanes with_canonical_nan(Lanes lanes, T nan) noexcept {
  return lanes == lanes ? lanes : Lanes{} + nan;
}

template <class Number>
struct Sum {
  using T = Number;
  static Vector<T> of(Vector<T> a, Vector<T> b) noexcept {
    if constexpr (std::is_integral_v<T>) return a + b;
    else return with_canonical_nan(a + b, std::numeric_limits<T>::quiet_NaN());
  }
};

template <class Number>
struct Product {
  using T = Number;
  static Vector<T> of(Vector<T> a, Vector<T> b) noexcept {
    if constexpr (std::is_integral_v<T>) return a * b;
    else return with_canonical_nan(a * b, std::numeric_limits<T>::quiet_NaN());
  }
};

/// Real and imaginary parts take turns. An infinite factor gets no special treatment.
struct ComplexProduct {
  using T = float;

  template <int... lane>
  static Vector<T> of_lanes(Vector<T> a, Vector<T> b, std::integer_sequence<int, lane...>) noexcept {
    const Vector<T> real = __builtin_shufflevector(a, a, lane / 2 * 2 ...);
    const Vector<T> imaginary = __builtin_shufflevector(a, a, lane / 2 * 2 + 1 ...);
    const Vector<T> crossed = __builtin_shufflevector(b, b, (lane ^ 1)...);
    const Vector<T> signs = {(lane % 2 == 0 ? -1.0f : 1.0f)...};
    const Vector<T> of_real = real * b;
    const Vector<T> of_imaginary = imaginary * crossed * signs;
    return with_canonical_nan(of_real + of_imaginary, std::numeric_limits<T>::quiet_NaN());
  }

  static Vector<T> of(Vector<T> a, Vector<T> b) noexcept {
    return of_lanes(a, b, std::make_integer_sequence<int, vector_bytes / sizeof(T)>());
  }
};

template <class Integer>
struct Least {
  using T = Integer;
  static Vector<T> of(Vector<T> a, Vector<T> b) noexcept { return a < b ? a : b; }
};

template <class Integer>
struct Greatest {
  using T = Integer;
  static Vector<T> of(Vector<T> a, Vector<T> b) noexcept { return a < b ? b : a; }
};

template <int width>
using Code = std::conditional_t<
    width == 8, std::int8_t,
    std::conditional_t<width == 16, std::int16_t, std::conditional_t<width == 32, std::int32_t, std::int64_t>>>;

/// A choice between numbers of a floating format by their codes, so that nothing is rounded and -0 lies below +0.
template <FloatFormat format, template <class> class Choice>
struct FloatChoice {
  using T = Code<format.width>;
  static constexpr T magnitude_mask = std::numeric_limits<T>::max();
  static constexpr T last_number = static_cast<T>(format.first_special() - (format.has_infinity ? 0 : 1));
  static constexpr T nan = static_cast<T>(format.canonical_nan());

  /// Codes to integers in the order of the numbers, and back.
  static Vector<T> mirrored(Vector<T> codes) noexcept { return codes ^ ((codes < 0) & magnitude_mask); }

  static Vector<T> of(Vector<T> a, Vector<T> b) noexcept {
    const Vector<T> chosen = mirrored(Choice<T>::of(mirrored(a), mirrored(b)));
    const auto has_nan = ((a & magnitude_mask) > last_number) | ((b & magnitude_mask) > last_number);
    return has_nan ? Vector<T>{} + nan : chosen;
  }
};

struct And {
  using T = std::uint8_t;
  template <class Lanes>
  static Lanes of(Lanes a, Lanes b) noexcept {
    return a & b;
  }
};

struct Or {
  using T = std::uint8_t;
  template <class Lanes>
  static Lanes of(Lanes a, Lanes b) noexcept {
    return a | b;
  }
};

struct Xor {
  using T = std::uint8_t;
  template <class Lanes>
  static Lanes of(Lanes a, Lanes b) noexcept {
    return a ^ b;
  }
};

/// A code with any bit of `mask` is true; a true result is `one`.
template <class Integer, Integer mask, Integer one, class Join>
struct Logical {
  using T = Integer;
  static Vector<T> of(Vector<T> a, Vector<T> b) noexcept {
    return Join::of((a & mask) != 0, (b & mask) != 0) ? Vector<T>{} + one : Vector<T>{};
  }
};

/// Elements that fill less than a vector go through the same instructions.
template <class Op>
void combine_few(std::byte* to, Sources sources, std::size_t begin, std::size_t bytes) noexcept {
  Vector<typename Op::T> folded{}, next{};
  std::memcpy(&folded, sources.first[0] + begin, bytes);
  for (std::size_t index = 1; index < sources.count; ++index) {
    std::memcpy(&next, sources.first[index] + begin, bytes);
    folded = Op::of(folded, next);
  }
  std::memcpy(to + begin, &folded, bytes);
}

/// Combines two vectors at a time; returns the offset where less than two are left.
template <class Op>
[[gnu::always_inline]] inline std::size_t combine_two(std::byte* to, const std::byte* a, const std::byte* b,
                                                      std::size_t begin, std::size_t end) noexcept {
  using T = typename Op::T;
  for (; end - begin >= 2 * vector_bytes; begin += 2 * vector_bytes) {
    const std::size_t second = begin + vector_bytes;
    store(to + begin, Op::of(load<T>(a + begin), load<T>(b + begin)));
    store(to + second, Op::of(load<T>(a + second), load<T>(b + second)));
  }
  return begin;
}

/// Like `combine_two`, for any number of sources. A result stays in registers until every source has been read at its
/// place.
template <class Op>
[[gnu::always_inline]] inline std::size_t combine_many(std::byte* to, Sources sources, std::size_t begin,
                                                       std::size_t end) noexcept {
  using T = typename Op::T;
  for (; end - begin >= 2 * vector_bytes; begin += 2 * vector_bytes) {
    const std::size_t second = begin + vector_bytes;
    Vector<T> x = load<T>(sources.first[0] + begin), y = load<T>(sources.first[0] + second);
    for (std::size_t index = 1; index < sources.count; ++index) {
      x = Op::of(x, load<T>(sources.first[index] + begin));
      y = Op::of(y, load<T>(sources.first[index] + second));
    }
    store(to + begin, x);
    store(to + second, y);
  }
  return begin;
}

template <class Op>
void combine(std::byte* to, Sources sources, std::size_t begin, std::size_t end) noexcept {
  if (sources.count == 2) begin = combine_two<Op>(to, sources.first[0], sources.first[1], begin, end);
  else begin = combine_many<Op>(to, sources, begin, end);
  for (; begin < end; begin += vector_bytes) {
    combine_few<Op>(to, sources, begin, end - begin < vector_bytes ? end - begin : vector_bytes);
  }
}

template <class T>
consteval CombineRow integer_row() {
  using U = std::make_unsigned_t<T>;
  constexpr U every = std::numeric_limits<U>::max();
  return {combine<Sum<U>>,
          combine<Product<U>>,
          combine<Least<T>>,
          combine<Greatest<T>>,
          combine<Sum<U>>,
          combine<And>,
          combine<Or>,
          combine<Xor>,
          combine<Logical<U, every, 1, And>>,
          combine<Logical<U, every, 1, Or>>,
          combine<Logical<U, every, 1, Xor>>};
}

consteval CombineRow boolean_row() {
  constexpr Combine all = combine<Logical<std::uint8_t, 0xff, 1, And>>;
  constexpr Combine any = combine<Logical<std::uint8_t, 0xff, 1, Or>>;
  constexpr Combine odd = combine<Logical<std::uint8_t, 0xff, 1, Xor>>;
  return {any, all, all, any, nullptr, all, any, odd, all, any, odd};
}

/// The loops for the codes of a floating format; `sum` and `product` are null where an accumulator is needed.
template <FloatFormat format>
consteval CombineRow float_row(Combine sum, Combine product) {
  using T = Code<format.width>;
  constexpr T mask = std::numeric_limits<T>::max();
  constexpr T one = static_cast<T>(std::uint64_t{format.bias} << format.fraction_bits);
  return {sum,
          product,
          combine<FloatChoice<format, Least>>,
          combine<FloatChoice<format, Greatest>>,
          sum,
          nullptr,
          nullptr,
          nullptr,
          combine<Logical<T, mask, one, And>>,
          combine<Logical<T, mask, one, Or>>,
          combine<Logical<T, mask, one, Xor>>};
}

consteval CombineRow complex_row() {
  return {combine<Sum<float>>, combine<ComplexProduct>, nullptr, nullptr, combine<Sum<float>>};
}

constexpr CombineTable combine_table{
    boolean_row(),
    integer_row<std::int8_t>(),
    integer_row<std::int16_t>(),
    integer_row<std::int32_t>(),
    integer_row<std::int64_t>(),
    integer_row<std::uint8_t>(),
    integer_row<std::uint16_t>(),
    integer_row<std::uint32_t>(),
    integer_row<std::uint64_t>(),
    float_row<base::f16_format>(nullptr, nullptr),
    float_row<base::bf16_format>(nullptr, nullptr),
    float_row<base::f32_format>(combine<Sum<float>>, combine<Product<float>>),
    float_row<base::f64_format>(combine<Sum<double>>, combine<Product<double>>),
    float_row<base::f8_e4m3fn_format>(nullptr, nullptr),
    float_row<base::f8_e5m2_format>(nullptr, nullptr),
    complex_row(),
};

const CombineTable* combines() { return &combine_table; }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace pintle::collective
HWY_AFTER_NAMESPACE();
