// Conversion of elements from one dtype to another: which value, which rounding, what happens beyond the range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pintle/dtype.h"
#include "pintle/error.h"

namespace pintle {

/// The neighbour that a value between two values of the target becomes.
enum class Rounding : std::uint8_t {
  nearest_even = 1,  ///< The nearer one; where both are equally near, the one whose last bit is 0.
  toward_zero = 2,   ///< The one of smaller magnitude.
  stochastic = 3,  ///< The one of larger magnitude with the probability that makes the mean exact; see `Convert::seed`.
};

/// What becomes of a value beyond the target's largest finite value. The value is rounded *first*, as if the target's
/// exponent had no upper end. So in f16, by `nearest_even`, 65519 becomes 65504, and 65520 overflows; by `toward_zero`,
/// 65535 becomes 65504, and 65536 overflows.
enum class Overflow : std::uint8_t {
  /// Infinity with the value's sign. f8_e4m3fn has no infinity: NaN with the value's sign (0x7f, 0xff). An integer has
  /// none either: its least or largest value, as under `saturate`.
  infinity = 1,
  /// The largest finite value with the value's sign, for an infinite source too. For an integer: its least or largest
  /// value.
  saturate = 2,
  /// `invalid_argument`, which names the first such element, its value and the limit; nothing is written. An infinity
  /// stays one where the target has infinities, and is an error elsewhere. A NaN is an error for an integer target.
  error = 3,
};

/// What becomes of a NaN in a floating target. f8_e4m3fn has one NaN of each sign, which counts as quiet and without
/// payload. In an integer target a NaN becomes 0 (an error under `Overflow::error`), in a bool true.
enum class NanRule : std::uint8_t {
  /// The positive quiet NaN without payload: 0x7e00, 0x7fc0, 0x7fc00000, 0x7ff8000000000000, 0x7f, 0x7e.
  canonical = 1,
  /// The NaN's sign and the leading bits of its fraction, as they are: a signalling NaN stays signalling. Where all
  /// bits that fit are 0, the last one is set, so that no NaN becomes an infinity (NumPy does this too).
  payload = 2,
};

/// A named conversion: `Convert::f32_to_f16`, or `Convert{DType::f64, DType::i8}.with(Overflow::saturate)`. A value.
///
/// Each element is converted as an exact real number that is rounded once, so f64 to f16 does not pass through f32.
/// Subnormals are values like others, never flushed. The sign of zero is kept where the target has it. The result does
/// not depend on the floating-point environment, the processor, the alignment, or on how a caller splits the elements.
/// The environment stays as it is, with its flags.
///
/// Every ordered pair of dtypes is supported but one kind: from complex64 to any other is `invalid_argument`, since it
/// would drop the imaginary part. A real number becomes complex with the imaginary part +0; complex64 to complex64
/// treats both parts as f32. A bool target gets true for everything but zero; a bool source is 0, or 1 for any byte but
/// zero. An integer that fits is exact. A floating value becomes an integer by `rounding` first, and is then compared
/// with the range: by `nearest_even`, -0.5 is 0 in u8, and -0.6 is beyond its range.
struct Convert {
  DType from;
  DType to;
  Rounding rounding = Rounding::nearest_even;
  Overflow overflow = Overflow::infinity;
  NanRule nan = NanRule::canonical;
  /// The seed of `Rounding::stochastic`. Element i draws the 64-bit number mix(mix(seed) + (first_element + i + 1) *
  /// 0x9e3779b97f4a7c15), where mix is the finalizer of SplitMix64. It becomes the neighbour of larger magnitude if
  /// that number is below the dropped fraction times 2^64, rounded down. Equal seeds give equal results, on any
  /// machine.
  std::uint64_t seed = 0;
  /// The number of the first element within the whole, for callers that convert in pieces.
  std::uint64_t first_element = 0;

  [[nodiscard]] constexpr Convert with(Rounding rule) const noexcept { return changed(&Convert::rounding, rule); }
  [[nodiscard]] constexpr Convert with(Overflow rule) const noexcept { return changed(&Convert::overflow, rule); }
  [[nodiscard]] constexpr Convert with(NanRule rule) const noexcept { return changed(&Convert::nan, rule); }
  /// This conversion, rounding stochastically with this seed.
  [[nodiscard]] constexpr Convert stochastic(std::uint64_t with_seed) const noexcept {
    return with(Rounding::stochastic).changed(&Convert::seed, with_seed);
  }
  /// This conversion for a piece that begins at this element of the whole.
  [[nodiscard]] constexpr Convert starting_at(std::uint64_t element) const noexcept {
    return changed(&Convert::first_element, element);
  }
  friend bool operator==(const Convert&, const Convert&) noexcept = default;

  static const Convert f32_to_f16, f32_to_bf16, f32_to_f8_e4m3fn, f32_to_f8_e5m2, f32_to_f64;
  static const Convert f16_to_f32, bf16_to_f32, f8_e4m3fn_to_f32, f8_e5m2_to_f32, f64_to_f32;
  static const Convert f64_to_f16, f64_to_bf16, f16_to_bf16, bf16_to_f16;
  static const Convert f32_to_i8, f32_to_u8, f32_to_i32, i8_to_f32, u8_to_f32, i32_to_f32, i64_to_i32, i32_to_i64;
  static const Convert f32_to_complex64;

 private:
  template <class Member>
  [[nodiscard]] constexpr Convert changed(Member Convert::* member, Member value) const noexcept {
    Convert copy = *this;
    copy.*member = value;
    return copy;
  }
};

inline constexpr Convert Convert::f32_to_f16{DType::f32, DType::f16};
inline constexpr Convert Convert::f32_to_bf16{DType::f32, DType::bf16};
inline constexpr Convert Convert::f32_to_f8_e4m3fn{DType::f32, DType::f8_e4m3fn};
inline constexpr Convert Convert::f32_to_f8_e5m2{DType::f32, DType::f8_e5m2};
inline constexpr Convert Convert::f32_to_f64{DType::f32, DType::f64};
inline constexpr Convert Convert::f16_to_f32{DType::f16, DType::f32};
inline constexpr Convert Convert::bf16_to_f32{DType::bf16, DType::f32};
inline constexpr Convert Convert::f8_e4m3fn_to_f32{DType::f8_e4m3fn, DType::f32};
inline constexpr Convert Convert::f8_e5m2_to_f32{DType::f8_e5m2, DType::f32};
inline constexpr Convert Convert::f64_to_f32{DType::f64, DType::f32};
inline constexpr Convert Convert::f64_to_f16{DType::f64, DType::f16};
inline constexpr Convert Convert::f64_to_bf16{DType::f64, DType::bf16};
inline constexpr Convert Convert::f16_to_bf16{DType::f16, DType::bf16};
inline constexpr Convert Convert::bf16_to_f16{DType::bf16, DType::f16};
inline constexpr Convert Convert::f32_to_i8{DType::f32, DType::i8};
inline constexpr Convert Convert::f32_to_u8{DType::f32, DType::u8};
inline constexpr Convert Convert::f32_to_i32{DType::f32, DType::i32};
inline constexpr Convert Convert::i8_to_f32{DType::i8, DType::f32};
inline constexpr Convert Convert::u8_to_f32{DType::u8, DType::f32};
inline constexpr Convert Convert::i32_to_f32{DType::i32, DType::f32};
inline constexpr Convert Convert::i64_to_i32{DType::i64, DType::i32};
inline constexpr Convert Convert::i32_to_i64{DType::i32, DType::i64};
inline constexpr Convert Convert::f32_to_complex64{DType::f32, DType::complex64};

/// The size of the result, in bytes, for `from_bytes` bytes of `how.from`. `invalid_argument` for a size that is no
/// whole number of elements, a conversion that is not supported, a dtype or rule that does not exist, and a result
/// beyond 64 bits.
[[nodiscard]] Result<std::uint64_t> converted_bytes(std::uint64_t from_bytes, const Convert& how);

/// Converts every element of `from` into `to`, in the caller's thread; neither needs an alignment. Thread-safe.
/// `invalid_argument`, with nothing written, for: what `converted_bytes` refuses; one element too many or too few in
/// `to` (with both counts); memory that overlaps; a value beyond the range under `Overflow::error`.
[[nodiscard]] Result<void> convert(std::span<std::byte> to, std::span<const std::byte> from, const Convert& how);

}  // namespace pintle
