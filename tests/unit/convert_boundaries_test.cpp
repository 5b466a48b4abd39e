// Every code of the narrow formats, and every place where rounding changes its mind, under every rule.
#include <cstdint>
#include <limits>
#include <type_traits>

#include "pintle/must.h"
#include "unit/convert_support.h"

namespace pintle::test {
namespace {

constexpr bool is_little = std::endian::native == std::endian::little;

std::vector<std::byte> every_code(DType dtype) {
  const std::size_t size = bytes_of(dtype), count = std::size_t{1} << (8 * size);
  std::vector<std::byte> codes(count * size);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(codes.data() + i * size, &i, size);
  return codes;
}

/// The f32 that a code must become, found in the reference's table.
std::uint32_t widened(DType dtype, std::uint32_t code, const Convert& how) {
  const FloatReference& reference = reference_of(dtype);
  const double number = reference.number(code);
  const std::uint32_t sign = (code & reference.sign_bit()) != 0 ? 0x80000000 : 0;
  if (std::isinf(number) && how.overflow == Overflow::saturate) return sign | 0x7f7fffff;
  if (!std::isnan(number)) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (how.nan == NanRule::canonical) return 0x7fc00000;
  if (!reference.has_infinity()) return sign | 0x7fc00000;
  const auto fraction_bits = std::countr_zero(reference.end());
  return sign | 0x7f800000 | (code & ((1u << fraction_bits) - 1)) << (23 - fraction_bits);
}

TEST(ConvertCodes, EveryCodeBecomesItsNumberUnderEveryRule) {
  static_assert(is_little);
  for (const DType dtype : narrow_dtypes) {
    const auto codes = every_code(dtype);
    for_every_rule({dtype, DType::f32}, [&](const Convert& how) {
      const auto words = must(converted_raw(codes, how));
      for (std::uint32_t code = 0; code < words.size() / 4; ++code) {
        std::uint32_t word;
        std::memcpy(&word, words.data() + std::size_t{code} * 4, 4);
        ASSERT_EQ(word, widened(dtype, code, how)) << code;
      }
    });
  }
}

TEST(ConvertCodes, EveryCodeComesBackFromF32AndF64) {
  for (const DType dtype : narrow_dtypes) {
    for (const DType wide : {DType::f32, DType::f64}) {
      for_every_rule({dtype, wide}, [&](Convert how) {
        if (how.overflow == Overflow::saturate || how.nan == NanRule::canonical) return;
        const auto codes = every_code(dtype);
        const auto wider = must(converted_raw(codes, how));
        std::swap(how.from, how.to);
        EXPECT_EQ(must(converted_raw(wider, how)), codes);
      });
    }
  }
}

/// Each value of the format and each middle between two, with the next numbers of the source's format on both sides, in
/// both signs; beyond them the largest numbers, infinities and NaNs.
template <class Real>
std::vector<Real> boundaries(const FloatReference& reference) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits sign = Bits{1} << (8 * sizeof(Real) - 1);
  const Bits infinity = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
  std::vector<Bits> magnitudes{infinity - 1, infinity, infinity + 1, infinity | infinity >> 1, sign - 1, 1, 2, 3};
  for (int shift = 0; shift < std::numeric_limits<Real>::digits - 1; ++shift)
    magnitudes.push_back(infinity | Bits{1} << shift);
  const auto add = [&](double exact) {
    if (static_cast<double>(static_cast<Real>(exact)) != exact) return;
    const Bits bits = std::bit_cast<Bits>(static_cast<Real>(exact));
    for (int step = bits == 0 ? 0 : -1; step <= 1; ++step) {
      if (bits + static_cast<Bits>(step) < infinity) magnitudes.push_back(bits + static_cast<Bits>(step));
    }
  };
  for (std::uint32_t code = 0; code < reference.end(); ++code) {
    add(reference.value(code));
    add((reference.value(code) + reference.value(code + 1)) / 2);
  }
  add(reference.value(reference.end()));
  std::vector<Real> numbers;
  for (const Bits magnitude : magnitudes) {
    numbers.push_back(std::bit_cast<Real>(magnitude));
    numbers.push_back(std::bit_cast<Real>(magnitude | sign));
  }
  return numbers;
}

/// Leaves those that the reference refuses in `refused`, the others in `taken`.
template <class Real>
void expect_as_reference(const std::vector<Real>& numbers, const Convert& how) {
  const FloatReference& reference = reference_of(how.to);
  std::vector<Real> taken, refused;
  std::vector<std::uint32_t> wanted;
  for (const Real number : numbers) {
    const auto code = reference.code(number, how, taken.size(), payload_of(number));
    if (code) {
      taken.push_back(number);
      wanted.push_back(*code);
    } else {
      refused.push_back(number);
    }
  }
  const auto codes = must(converted_codes(std::as_bytes(std::span(taken)), how));
  for (std::size_t i = 0; i < codes.size(); ++i) ASSERT_EQ(codes[i], wanted[i]) << taken[i] << " at " << i;
  // Toward zero, the next number after bf16's largest is no f32.
  const bool none_beyond = how.rounding == Rounding::toward_zero && how.from == DType::f32 && how.to == DType::bf16;
  EXPECT_EQ(refused.empty(), how.overflow != Overflow::error || none_beyond);
  if (how.rounding == Rounding::stochastic) return;  // Alone it would draw another number.
  for (const Real number : refused) ASSERT_NE(refusal_of(std::vector{number}, how), "accepted") << number;
}

TEST(ConvertBoundaries, F32AgreesWithTheReferenceAroundEveryBoundary) {
  for (const DType dtype : narrow_dtypes) {
    const auto numbers = boundaries<float>(reference_of(dtype));
    for_every_rule({DType::f32, dtype}, [&](const Convert& how) { expect_as_reference(numbers, how); });
  }
}

TEST(ConvertBoundaries, F64AgreesWithTheReferenceAroundEveryBoundary) {
  for (const DType dtype : narrow_dtypes) {
    const auto numbers = boundaries<double>(reference_of(dtype));
    for_every_rule({DType::f64, dtype}, [&](const Convert& how) { expect_as_reference(numbers, how); });
  }
}

/// From one narrow format to another, through the exact number.
TEST(ConvertBoundaries, EveryCodeAgreesWithTheReferenceInEveryOtherFormat) {
  for (const DType from : narrow_dtypes) {
    const FloatReference& source = reference_of(from);
    std::vector<double> numbers;
    for (std::uint32_t code = 0; code < 2 * source.sign_bit(); ++code) {
      if (!std::isnan(source.number(code))) numbers.push_back(source.number(code));
    }
    for (const DType to : narrow_dtypes) {
      for_every_rule({from, to}, [&](const Convert& how) {
        if (how.overflow == Overflow::error || how.nan == NanRule::payload) return;
        const auto narrow = must(converted_raw(std::as_bytes(std::span(numbers)), {DType::f64, from}));
        const auto codes = must(converted_codes(narrow, how));
        for (std::size_t i = 0; i < codes.size(); ++i)
          ASSERT_EQ(codes[i], reference_of(to).code(numbers[i], how, i)) << numbers[i];
      });
    }
  }
}

TEST(ConvertBoundaries, F64RoundsOnceOnTheWayToF16) {
  // Above the middle of 1 and the next f16 by less than f32 can tell: through f32 it would be a tie and become 1.
  const double above_middle = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(must(converted<std::uint16_t>(std::vector{above_middle}, Convert::f64_to_f16)),
            std::vector<std::uint16_t>{0x3c01});
  EXPECT_EQ(must(converted<std::uint16_t>(std::vector{static_cast<float>(above_middle)}, Convert::f32_to_f16)),
            std::vector<std::uint16_t>{0x3c00});
}

/// The processor's own conversion is exact in nearest_even too; f32 has too many codes for a table.
TEST(ConvertBoundaries, F64ToF32IsTheProcessorsAndF32ToF64IsExact) {
  SplitMix random(7);
  std::vector<double> numbers{0.0,   -0.0,   0x1p-149, 0x1p-150, 0x1.8p-150, 0x1.fffffefp127, 0x1.ffffffp127,
                              1e300, -1e-300};
  for (int i = 0; i < 100000; ++i) {
    const double number = std::bit_cast<double>(random.next());
    const double near = std::ldexp(1.0 + std::ldexp(static_cast<double>(random.next() >> 12), -52), i % 300 - 160);
    if (!std::isnan(number)) numbers.push_back(number);
    numbers.push_back(near);
    numbers.push_back(-static_cast<float>(near) * (1 + 0x1p-24));
  }
  const auto floats = must(converted<std::uint32_t>(numbers, Convert::f64_to_f32));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(floats[i], std::bit_cast<std::uint32_t>(static_cast<float>(numbers[i]))) << numbers[i];
  const auto back = must(converted<double>(floats, Convert::f32_to_f64));
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], double{f32_of(floats[i])});
}

TEST(ConvertBoundaries, F64ToF32TowardZeroNeverGrowsAndIsNearest) {
  SplitMix random(8);
  std::vector<double> numbers;
  for (int i = 0; i < 100000; ++i)
    numbers.push_back(std::ldexp(1.0 + std::ldexp(static_cast<double>(random.next() >> 12), -52), i % 270 - 150));
  const auto floats =
      must(converted<float>(numbers, Convert::f64_to_f32.with(Rounding::toward_zero).with(Overflow::saturate)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_LE(double{floats[i]}, numbers[i]);
    ASSERT_GT(double{std::nextafter(floats[i], INFINITY)}, numbers[i]);
  }
}

}  // namespace
}  // namespace pintle::test
