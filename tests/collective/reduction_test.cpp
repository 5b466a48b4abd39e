#include "collective/fold/reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "base/convert_lanes.h"
#include "collective/reference.h"

namespace pintle::collective {
namespace {

using reference::Bytes;
using Random = std::mt19937_64;

const std::vector<DType> dtypes = [] {
  std::vector<DType> all;
  for (int number = 1; number <= 16; ++number) all.push_back(static_cast<DType>(number));
  return all;
}();
const std::vector<ReduceOp> ops = [] {
  std::vector<ReduceOp> all;
  for (int number = 1; number <= 11; ++number) all.push_back(static_cast<ReduceOp>(number));
  return all;
}();

bool is_floating(DType dtype) { return dtype >= DType::f16; }

/// Every pair that has a meaning.
void for_every_pair(const std::function<void(ReduceOp, DType)>& body) {
  int pairs = 0;
  for (const DType dtype : dtypes) {
    for (const ReduceOp op : ops) {
      if (!check_reduction(op, dtype)) continue;
      SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(dtype)));
      body(op, dtype);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 8 * 11 + 10 + 6 * 8 + 3);
}

/// Bits of a real floating dtype: an exponent that is all 0 or all 1 makes zeros, subnormals, infinities and NaNs of
/// any payload; one in the middle makes numbers whose sums and products are rounded but stay within the range.
std::uint64_t telling_bits(Random& random, int exponent_bits, int fraction_bits) {
  const std::uint64_t sign = random() % 2, fraction = random() & ((1ull << fraction_bits) - 1);
  const std::uint64_t all_ones = (1ull << exponent_bits) - 1;
  std::uint64_t exponent = all_ones / 2 - 1 + random() % 3;
  std::uint64_t kept = fraction;
  const auto kind = random() % 16;
  if (kind == 0) exponent = random() & all_ones;
  if (kind == 1) exponent = 0;
  if (kind == 2) exponent = all_ones;
  if (kind == 3) kept = 0, exponent = random() % 2 == 0 ? 0 : all_ones;
  return (sign << exponent_bits | exponent) << fraction_bits | kept;
}

std::uint64_t element(Random& random, DType dtype) {
  if (const auto format = reference::narrow_format(dtype)) {
    return telling_bits(random, format->exponent_bits, format->fraction_bits);
  }
  if (dtype == DType::f32) return telling_bits(random, 8, 23);
  if (dtype == DType::f64) return telling_bits(random, 11, 52);
  if (dtype == DType::complex64) return telling_bits(random, 8, 23) | telling_bits(random, 8, 23) << 32;
  const std::uint64_t bits = random();
  return bits % 4 == 0 ? 0 : bits >> 8;
}

std::vector<Bytes> random_sources(DType dtype, std::size_t number, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> sources(number, Bytes(count * bytes_of(dtype)));
  for (Bytes& bytes : sources) {
    for (std::size_t at = 0; at < bytes.size(); at += bytes_of(dtype)) {
      reference::put_bits(bytes, at, bytes_of(dtype), element(random, dtype));
    }
  }
  return sources;
}

/// Bytes at an odd distance from every alignment, between bytes that nobody may touch.
class Guarded {
 public:
  Guarded(const Bytes& bytes, std::size_t number) : offset_(16 + (3 * number + 1) % 16), size_(bytes.size()) {
    memory_.assign(offset_ + size_ + 64, guard);
    std::ranges::copy(bytes, data());
  }

  std::byte* data() { return memory_.data() + offset_; }
  [[nodiscard]] Bytes bytes() { return {data(), data() + size_}; }
  [[nodiscard]] bool is_intact() const {
    const auto is_guard = [](std::byte byte) { return byte == guard; };
    const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(offset_);
    return std::all_of(memory_.begin(), begin, is_guard) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(size_), memory_.end(), is_guard);
  }

 private:
  static constexpr std::byte guard{0xa5};
  std::size_t offset_;
  std::size_t size_;
  std::vector<std::byte> memory_;
};

void expect_same(const Bytes& got, const Bytes& wanted, DType dtype, const std::vector<Bytes>& sources) {
  const auto [at, other] = std::ranges::mismatch(got, wanted);
  if (at == got.end() && other == wanted.end()) return;
  const std::size_t size = bytes_of(dtype);
  const std::size_t begin = static_cast<std::size_t>(at - got.begin()) / size * size;
  std::string text = "element " + std::to_string(begin / size) + " of";
  for (const Bytes& source : sources) text += " " + std::to_string(reference::bits_at(source, begin, size));
  ADD_FAILURE() << text << " is " << reference::bits_at(got, begin, size) << " instead of "
                << reference::bits_at(wanted, begin, size);
}

constexpr std::size_t nowhere = ~std::size_t{0};

/// Folds copies of the sources, in place of the one at `position` or elsewhere.
void expect_fold(ReduceOp op, DType dtype, const std::vector<Bytes>& sources, std::uint32_t divisor,
                 std::size_t position, const Bytes& wanted) {
  SCOPED_TRACE(testing::Message() << sources.size() << " sources, " << wanted.size() << " bytes, in place of "
                                  << static_cast<std::ptrdiff_t>(position));
  std::vector<Guarded> memory;
  for (std::size_t index = 0; index < sources.size(); ++index) memory.emplace_back(sources[index], index);
  Guarded elsewhere(Bytes(wanted.size(), std::byte{0x5a}), sources.size());
  Guarded& to = position == nowhere ? elsewhere : memory[position];
  std::vector<const std::byte*> from;
  for (Guarded& source : memory) from.push_back(source.data());
  fold(op, dtype, to.data(), from, wanted.size() / bytes_of(dtype), divisor);
  expect_same(to.bytes(), wanted, dtype, sources);
  EXPECT_TRUE(elsewhere.is_intact());
  for (std::size_t index = 0; index < sources.size(); ++index) {
    EXPECT_TRUE(memory[index].is_intact());
    EXPECT_TRUE(index == position || memory[index].bytes() == sources[index]);
  }
}

/// Out of place, and in place of every source.
void expect_folds(ReduceOp op, DType dtype, const std::vector<Bytes>& sources, std::uint32_t divisor) {
  const Bytes wanted = reference::fold(op, dtype, sources, divisor);
  expect_fold(op, dtype, sources, divisor, nowhere, wanted);
  for (std::size_t position = 0; position < sources.size(); ++position) {
    expect_fold(op, dtype, sources, divisor, position, wanted);
  }
}

class FoldOf : public testing::TestWithParam<std::size_t> {};

TEST_P(FoldOf, EveryPairAndCountIsThatOfTheReference) {
  const std::size_t number = GetParam();
  for_every_pair([&](ReduceOp op, DType dtype) {
    for (const std::size_t count : {0u, 1u, 7u, 1023u, 1024u, 1025u, 5000u}) {
      expect_folds(op, dtype, random_sources(dtype, number, count, count + number), static_cast<std::uint32_t>(number));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sources, FoldOf, testing::Values(1u, 2u, 3u, 8u));

/// Every pair of codes where there are few, so that no rounding, infinity or NaN is left to chance.
TEST(Fold, AllPairsOfOneByte) {
  std::vector<Bytes> sources(2);
  for (int code = 0; code < 65536; ++code) {
    sources[0].push_back(static_cast<std::byte>(code >> 8));
    sources[1].push_back(static_cast<std::byte>(code & 0xff));
  }
  for_every_pair([&](ReduceOp op, DType dtype) {
    if (bytes_of(dtype) != 1) return;
    expect_fold(op, dtype, sources, 2, nowhere, reference::fold(op, dtype, sources, 2));
  });
}

TEST(Fold, AllCodesOfTwoBytesWithSome) {
  std::vector<Bytes> sources(2, Bytes(std::size_t{65536} * 2));
  for (const std::uint64_t other : {0x0000u, 0x8000u, 0x0001u, 0x3c01u, 0x7c00u, 0xff80u, 0x7fffu, 0xfbffu}) {
    for (std::size_t code = 0; code < 65536; ++code) {
      reference::put_bits(sources[0], code * 2, 2, code);
      reference::put_bits(sources[1], code * 2, 2, other);
    }
    for_every_pair([&](ReduceOp op, DType dtype) {
      if (bytes_of(dtype) != 2 || !is_floating(dtype)) return;
      expect_fold(op, dtype, sources, 2, nowhere, reference::fold(op, dtype, sources, 2));
    });
  }
}

/// What processors differ in are their vectors.
TEST(Fold, EveryInstructionSetGivesTheSameBits) {
  ASSERT_FALSE(base::lane_targets().empty());
  for (const std::int64_t target : base::lane_targets()) {
    base::use_lane_target(target);
    SCOPED_TRACE(base::lane_target_name(target));
    for_every_pair([&](ReduceOp op, DType dtype) {
      for (const std::size_t number : {2u, 3u}) {
        for (const std::size_t count : {1u, 31u, 301u}) {
          const auto sources = random_sources(dtype, number, count, 77);
          expect_fold(op, dtype, sources, 3, nowhere, reference::fold(op, dtype, sources, 3));
        }
      }
    });
  }
  base::use_lane_target(0);
}

/// Every length up to several vectors, whatever their size.
TEST(Fold, EveryShortLength) {
  for (const DType dtype : {DType::u8, DType::f16, DType::f32, DType::complex64}) {
    for (std::size_t count = 0; count <= 300; ++count) {
      for (const std::size_t number : {2u, 3u}) {
        const auto sources = random_sources(dtype, number, count, count);
        expect_fold(ReduceOp::sum, dtype, sources, 1, 0, reference::fold(ReduceOp::sum, dtype, sources, 1));
      }
    }
  }
}

TEST(Fold, MeanDividesByTheDivisorWhateverTheSourcesAre) {
  for (const DType dtype : dtypes) {
    if (!check_reduction(ReduceOp::mean, dtype)) continue;
    SCOPED_TRACE(name(dtype));
    for (const std::uint32_t divisor : {1u, 2u, 3u, 127u, 128u, 200u, 256u, 1024u, 65537u}) {
      SCOPED_TRACE(divisor);
      for (const std::size_t number : {1u, 2u, 3u}) {
        expect_folds(ReduceOp::mean, dtype, random_sources(dtype, number, 3000, divisor), divisor);
      }
    }
  }
}

TEST(Fold, OthersDoNotDivide) {
  for_every_pair([&](ReduceOp op, DType dtype) {
    if (op == ReduceOp::mean) return;
    for (const std::size_t number : {1u, 2u}) {
      const auto sources = random_sources(dtype, number, 100, 5);
      expect_fold(op, dtype, sources, 7, nowhere, reference::fold(op, dtype, sources, 1));
    }
  });
}

TEST(Fold, OneSourceMayStandSeveralTimes) {
  for_every_pair([&](ReduceOp op, DType dtype) {
    const auto sources = random_sources(dtype, 2, 200, 6);
    const std::vector<Bytes> repeated{sources[0], sources[1], sources[0], sources[1], sources[0]};
    Guarded first(sources[0], 0), second(sources[1], 1);
    const std::array<const std::byte*, 5> from{first.data(), second.data(), first.data(), second.data(), first.data()};
    fold(op, dtype, second.data(), from, 200, 5);
    expect_same(second.bytes(), reference::fold(op, dtype, repeated, 5), dtype, repeated);
    EXPECT_EQ(first.bytes(), sources[0]);
  });
}

/// The elements of one value each, as the value that they fold to.
template <class T>
T folded(ReduceOp op, DType dtype, const std::vector<T>& values, std::uint32_t divisor = 1) {
  std::vector<const std::byte*> sources;
  for (const T& value : values) sources.push_back(std::as_bytes(std::span(&value, 1)).data());
  T result{};
  fold(op, dtype, std::as_writable_bytes(std::span(&result, 1)).data(), sources, 1, divisor);
  return result;
}
template <class T>
T folded(ReduceOp op, const std::vector<T>& values, std::uint32_t divisor = 1) {
  return folded(op, dtype_of<T>(), values, divisor);
}

TEST(FoldValues, IntegersWrap) {
  EXPECT_EQ(folded<std::int8_t>(ReduceOp::sum, {100, 100}), -56);
  EXPECT_EQ(folded<std::uint8_t>(ReduceOp::sum, {200, 100}), 44);
  EXPECT_EQ(folded<std::int16_t>(ReduceOp::prod, {-32768, -1}), -32768);
  EXPECT_EQ(folded<std::uint16_t>(ReduceOp::prod, {65535, 65535}), 1);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(folded<std::int64_t>(ReduceOp::sum, {most, 1}), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(folded<std::int64_t>(ReduceOp::prod, {most, most}), 1);
}

TEST(FoldValues, MeanOfIntegersIsTheWrappedSumTowardZero) {
  EXPECT_EQ(folded<std::int32_t>(ReduceOp::mean, {-4, -3}, 2), -3);
  EXPECT_EQ(folded<std::int32_t>(ReduceOp::mean, {4, 3}, 2), 3);
  EXPECT_EQ(folded<std::int8_t>(ReduceOp::mean, {100, 100}, 2), -28);
  EXPECT_EQ(folded<std::uint8_t>(ReduceOp::mean, {200, 100}, 2), 22);
  EXPECT_EQ(folded<std::int8_t>(ReduceOp::mean, {-100, -20}, 200), 0);
  EXPECT_EQ(folded<std::uint64_t>(ReduceOp::mean, {~0ull, 0}, 2), ~0ull / 2);
}

TEST(FoldValues, SignsMatterToOrder) {
  EXPECT_EQ(folded<std::int8_t>(ReduceOp::min, {-1, 1}), -1);
  EXPECT_EQ(folded<std::uint8_t>(ReduceOp::min, {255, 1}), 1);
  EXPECT_EQ(folded<std::int64_t>(ReduceOp::max, {-1, 1}), 1);
  EXPECT_EQ(folded<std::uint64_t>(ReduceOp::max, {~0ull, 1}), ~0ull);
  EXPECT_EQ(folded<float>(ReduceOp::max, {-2.5f, -1.5f, -3.5f}), -1.5f);
  EXPECT_EQ(folded<double>(ReduceOp::min, {-2.5, -1.5, -3.5}), -3.5);
}

TEST(FoldValues, BytesThatAreNotZeroAreTrue) {
  const auto of = [](ReduceOp op, const std::vector<std::uint8_t>& bytes) { return folded(op, DType::boolean, bytes); };
  EXPECT_EQ(of(ReduceOp::sum, {2, 4}), 1);
  EXPECT_EQ(of(ReduceOp::prod, {2, 4}), 1);
  EXPECT_EQ(of(ReduceOp::prod, {2, 0}), 0);
  EXPECT_EQ(of(ReduceOp::min, {2, 0}), 0);
  EXPECT_EQ(of(ReduceOp::max, {0, 128}), 1);
  EXPECT_EQ(of(ReduceOp::bit_and, {2, 4}), 1);
  EXPECT_EQ(of(ReduceOp::bit_xor, {2, 4}), 0);
  EXPECT_EQ(of(ReduceOp::logical_xor, {2, 4, 8}), 1);
  for (const ReduceOp op : ops) {
    if (op == ReduceOp::mean) continue;
    EXPECT_EQ(of(op, {64}), 1) << name(op);
    EXPECT_EQ(of(op, {0}), 0) << name(op);
  }
}

TEST(FoldValues, LogicalResultsAreOneOrZeroOfTheDtype) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(folded<float>(ReduceOp::logical_and, {nan, 0.1f}), 1.0f);
  EXPECT_EQ(folded<float>(ReduceOp::logical_or, {0.0f, -0.0f}), 0.0f);
  EXPECT_EQ(folded<float>(ReduceOp::logical_or, {-0.0f}), 0.0f);
  EXPECT_FALSE(std::signbit(folded<float>(ReduceOp::logical_or, {-0.0f})));
  EXPECT_EQ(folded<double>(ReduceOp::logical_xor, {5.0}), 1.0);
  EXPECT_EQ(folded<std::int32_t>(ReduceOp::logical_xor, {5, 0, -7}), 0);
  EXPECT_EQ(folded<std::int64_t>(ReduceOp::logical_and, {1ll << 40, 2}), 1);
  EXPECT_EQ((folded<std::uint16_t>(ReduceOp::logical_or, DType::f16, {0x8000, 1})), 0x3c00);
  EXPECT_EQ((folded<std::uint16_t>(ReduceOp::logical_or, DType::bf16, {0x8000, 1})), 0x3f80);
  EXPECT_EQ((folded<std::uint8_t>(ReduceOp::logical_or, DType::f8_e4m3fn, {0x80, 0x7f})), 0x38);
  EXPECT_EQ((folded<std::uint8_t>(ReduceOp::logical_or, DType::f8_e5m2, {0x80, 0x7f})), 0x3c);
  EXPECT_EQ((folded<std::uint8_t>(ReduceOp::logical_and, DType::f8_e5m2, {0x80, 0x7f})), 0);
}

TEST(FoldValues, NarrowNumbersAreRoundedOnce) {
  // 2048 + 1 is no f16 and would go back to 2048.
  EXPECT_EQ((folded<std::uint16_t>(ReduceOp::sum, DType::f16, {0x6800, 0x3c00, 0x3c00})), 0x6801);
  // 60000 + 60000 is beyond f16, the mean is not.
  EXPECT_EQ((folded<std::uint16_t>(ReduceOp::mean, DType::f16, {0x7b53, 0x7b53}, 2)), 0x7b53);
  EXPECT_EQ((folded<std::uint16_t>(ReduceOp::sum, DType::f16, {0x7b53, 0x7b53})), 0x7c00);
  EXPECT_EQ((folded<std::uint16_t>(ReduceOp::sum, DType::bf16, {0x4380, 0x3f80, 0x3f80})), 0x4381);
  EXPECT_EQ((folded<std::uint8_t>(ReduceOp::prod, DType::f8_e5m2, {0x7b, 0x7b, 0x00})), 0x00);
  EXPECT_EQ((folded<std::uint8_t>(ReduceOp::sum, DType::f8_e4m3fn, {0x7e, 0x7e})), 0x7f);
  EXPECT_EQ((folded<std::uint8_t>(ReduceOp::sum, DType::f8_e4m3fn, {0xfe, 0xfe})), 0xff);
}

TEST(FoldValues, ComplexNumbers) {
  using Complex = std::complex<float>;
  EXPECT_EQ(folded<Complex>(ReduceOp::sum, {{1, 2}, {3, 4}}), Complex(4, 6));
  EXPECT_EQ(folded<Complex>(ReduceOp::prod, {{1, 2}, {3, 4}}), Complex(-5, 10));
  EXPECT_EQ(folded<Complex>(ReduceOp::prod, {{0, 1}, {0, 1}, {0, 1}}), Complex(0, -1));
  EXPECT_EQ(folded<Complex>(ReduceOp::mean, {{1, 2}, {3, 4}}, 2), Complex(2, 3));
}

/// Two roundings of a product, which one fused operation would not make: (1 + e)(1 - e) is 1 then, and 1 - 1 is 0.
TEST(FoldValues, NothingIsFused) {
  constexpr float e = 0x1p-23f;
  EXPECT_EQ((folded<std::complex<float>>(ReduceOp::prod, {{1 + e, 1}, {1 - e, 1}})).real(), 0.0f);
}

TEST(FoldValues, OneSourceIsCopiedBitByBit) {
  constexpr std::uint32_t signalling = 0xffa00001;
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::min, ReduceOp::max, ReduceOp::mean}) {
    EXPECT_EQ(folded<std::uint32_t>(op, DType::f32, {signalling}), signalling) << name(op);
    EXPECT_EQ((folded<std::uint16_t>(op, DType::f16, {0xfd01})), 0xfd01) << name(op);
  }
}

TEST(FoldOrder, ZerosAndNansOfMinAndMax) {
  for (const DType dtype : dtypes) {
    if (!is_floating(dtype) || dtype == DType::complex64) continue;
    SCOPED_TRACE(name(dtype));
    const std::size_t size = bytes_of(dtype);
    const std::uint64_t minus_zero = 1ull << (8 * size - 1), nan = reference::nan_of(dtype);
    const std::uint64_t other_nan = dtype == DType::f8_e4m3fn ? 0xff : minus_zero | nan | 1;
    const auto of = [&](ReduceOp op, const std::vector<std::uint64_t>& values) {
      return folded<std::uint64_t>(op, dtype, values) & (minus_zero | (minus_zero - 1));
    };
    for (const auto& values : {std::vector<std::uint64_t>{0, minus_zero}, {minus_zero, 0}, {0, minus_zero, 0}}) {
      EXPECT_EQ(of(ReduceOp::min, values), minus_zero);
      EXPECT_EQ(of(ReduceOp::max, values), 0u);
    }
    const std::uint64_t one = reference::one_of(dtype);
    for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
      for (const auto& values : {std::vector<std::uint64_t>{other_nan, one},
                                 {one, other_nan},
                                 {nan, other_nan},
                                 {other_nan, nan},
                                 {other_nan, other_nan},
                                 {one, other_nan, one, nan}}) {
        EXPECT_EQ(of(op, values), nan) << name(op);
      }
    }
  }
}

/// Which NaN a processor keeps depends on what the compiler made of a + b.
TEST(FoldOrder, NansThatAreComputedAreCanonical) {
  const auto of = [](ReduceOp op, const std::vector<std::uint32_t>& values) {
    return folded(op, DType::f32, values, 1);
  };
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::mean}) {
    EXPECT_EQ(of(op, {0xffc00123, 0x7fc00456}), 0x7fc00000u);
    EXPECT_EQ(of(op, {0x7fc00456, 0xffc00123}), 0x7fc00000u);
    EXPECT_EQ(folded<std::uint32_t>(op, DType::f32, {0xffc00123, 0x3f800000}, 2), 0x7fc00000u);
  }
  EXPECT_EQ(of(ReduceOp::sum, {0x7f800000, 0xff800000}), 0x7fc00000u);
}

Bytes folded_bytes(ReduceOp op, DType dtype, const std::vector<Bytes>& sources, std::uint32_t divisor) {
  Bytes result(sources[0].size());
  std::vector<const std::byte*> from;
  for (const Bytes& source : sources) from.push_back(source.data());
  fold(op, dtype, result.data(), from, result.size() / bytes_of(dtype), divisor);
  return result;
}

/// In each order, and two and two first.
TEST(FoldOrder, DoesNotMatterWhereItIsSaidNotTo) {
  for_every_pair([&](ReduceOp op, DType dtype) {
    const auto sources = random_sources(dtype, 4, 500, 9);
    const Bytes wanted = folded_bytes(op, dtype, sources, 4);
    std::vector<std::size_t> order{0, 1, 2, 3};
    bool differs = false;
    do {
      const std::vector<Bytes> shuffled{sources[order[0]], sources[order[1]], sources[order[2]], sources[order[3]]};
      const Bytes left = folded_bytes(op, dtype, {shuffled[0], shuffled[1]}, 1);
      const Bytes right = folded_bytes(op, dtype, {shuffled[2], shuffled[3]}, 1);
      differs |= folded_bytes(op, dtype, shuffled, 4) != wanted;
      differs |= folded_bytes(op, dtype, {left, right}, 4) != wanted;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(differs, depends_on_order(op, dtype));
  });
}

/// A partial result that is rounded to the dtype makes a difference where an accumulator is asked for, and only there.
TEST(FoldOrder, PartialResultsLoseWhereAnAccumulatorIsNeeded) {
  for_every_pair([&](ReduceOp op, DType dtype) {
    const auto sources = random_sources(dtype, 3, 2000, 10);
    const Bytes partial = folded_bytes(op, dtype, {sources[0], sources[1]}, 1);
    const bool differs = folded_bytes(op, dtype, {partial, sources[2]}, 3) != folded_bytes(op, dtype, sources, 3);
    EXPECT_EQ(differs, needs_accumulator(op, dtype));
  });
}

TEST(CheckReduction, RefusesPairsWithoutAMeaningByName) {
  const auto message = [](ReduceOp op, DType dtype) {
    const auto refused = check_reduction(op, dtype);
    EXPECT_FALSE(refused);
    if (refused) return std::string();
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    return std::string(refused.error().message());
  };
  EXPECT_EQ(message(ReduceOp::bit_and, DType::f32),
            "The operator (bit_and) has no meaning for elements of f32: bits are combined of integers and bool only.");
  EXPECT_EQ(message(ReduceOp::max, DType::complex64),
            "The operator (max) has no meaning for elements of complex64: complex numbers have no order.");
  EXPECT_EQ(message(ReduceOp::logical_or, DType::complex64),
            "The operator (logical_or) has no meaning for elements of complex64: logical operators take real numbers "
            "only.");
  EXPECT_EQ(message(ReduceOp::mean, DType::boolean),
            "The operator (mean) has no meaning for elements of bool: a part of a truth is no truth.");
  EXPECT_EQ(message(ReduceOp{12}, DType::f32), "The operator (12) of a reduction is none of 1 to 11.");
  EXPECT_EQ(message(ReduceOp{0}, DType::f32), "The operator (0) of a reduction is none of 1 to 11.");
  EXPECT_EQ(message(ReduceOp::sum, DType{17}), "The dtype (17) of a reduction is none of: " + dtype_names() + ".");
}

TEST(CheckReduction, EveryPair) {
  for (const DType dtype : dtypes) {
    for (const ReduceOp op : ops) {
      const bool is_bitwise = op == ReduceOp::bit_and || op == ReduceOp::bit_or || op == ReduceOp::bit_xor;
      const bool adds_up = op == ReduceOp::sum || op == ReduceOp::prod || op == ReduceOp::mean;
      bool has_meaning = true;
      if (is_floating(dtype)) has_meaning = !is_bitwise;
      if (dtype == DType::complex64) has_meaning = adds_up;
      if (dtype == DType::boolean) has_meaning = op != ReduceOp::mean;
      EXPECT_EQ(check_reduction(op, dtype).has_value(), has_meaning) << name(op) << " of " << name(dtype);
    }
  }
}

/// The oracle must not share a mistake with what it judges.
TEST(Reference, RoundsNarrowNumbersByDefinition) {
  const auto f16 = *reference::narrow_format(DType::f16), e4m3 = *reference::narrow_format(DType::f8_e4m3fn);
  EXPECT_EQ(f16.encoded(65519.0), 0x7bffu);
  EXPECT_EQ(f16.encoded(65520.0), 0x7c00u);
  EXPECT_EQ(f16.encoded(-0x1p-25), 0x8000u);
  EXPECT_EQ(f16.encoded(0x1.8p-25), 0x0001u);
  EXPECT_EQ(f16.encoded(1.0 + 0x1p-11), 0x3c00u);
  EXPECT_EQ(f16.encoded(1.0 + 0x3p-11), 0x3c02u);
  EXPECT_EQ(f16.decoded(0x3555), 0.333251953125);
  EXPECT_EQ(e4m3.encoded(464.0), 0x7eu);
  EXPECT_EQ(e4m3.encoded(-464.5), 0xffu);
  EXPECT_EQ(e4m3.decoded(0x7e), 448.0);
  EXPECT_TRUE(std::isnan(e4m3.decoded(0xff)));
  EXPECT_EQ(reference::narrow_format(DType::f8_e5m2)->decoded(0x7b), 57344.0);
  EXPECT_EQ(reference::narrow_format(DType::bf16)->quiet_nan(), 0x7fc0u);
}

}  // namespace
}  // namespace pintle::collective
