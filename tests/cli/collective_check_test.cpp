// What `pintle bench collective` holds results against: decoded and folded once more here, in double precision.
#include "cli/collective_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "pintle/convert.h"
#include "pintle/must.h"

namespace pintle::cli {
namespace {

using Value = std::complex<double>;

constexpr std::size_t period = CheckValues::period;

std::vector<DType> all_dtypes() {
  std::vector<DType> all;
  for (auto i = static_cast<int>(DType::boolean); i <= static_cast<int>(DType::complex64); ++i)
    all.push_back(static_cast<DType>(i));
  return all;
}

std::vector<ReduceOp> all_ops() {
  std::vector<ReduceOp> all;
  for (auto i = static_cast<int>(ReduceOp::sum); i <= static_cast<int>(ReduceOp::logical_xor); ++i)
    all.push_back(static_cast<ReduceOp>(i));
  return all;
}

std::vector<Value> decoded(DType dtype, std::span<const std::byte> bytes) {
  const bool is_complex = dtype == DType::complex64;
  const DType part = is_complex ? DType::f32 : dtype;
  std::vector<double> parts(bytes.size() / bytes_of(part));
  must(convert(std::as_writable_bytes(std::span(parts)), bytes, Convert{part, DType::f64}));
  if (!is_complex) return {parts.begin(), parts.end()};
  std::vector<Value> values;
  for (std::size_t i = 0; i < parts.size(); i += 2) values.emplace_back(parts[i], parts[i + 1]);
  return values;
}

Value folded_by_hand(ReduceOp op, Value a, Value b) {
  const auto bits = [](Value v) { return static_cast<unsigned>(v.real()); };
  const bool x = a != 0.0, y = b != 0.0;
  switch (op) {
    case ReduceOp::prod: return a * b;
    case ReduceOp::min: return std::min(a.real(), b.real());
    case ReduceOp::max: return std::max(a.real(), b.real());
    case ReduceOp::bit_and: return bits(a) & bits(b);
    case ReduceOp::bit_or: return bits(a) | bits(b);
    case ReduceOp::bit_xor: return bits(a) ^ bits(b);
    case ReduceOp::logical_and: return x && y ? 1 : 0;
    case ReduceOp::logical_or: return x || y ? 1 : 0;
    case ReduceOp::logical_xor: return x != y ? 1 : 0;
    default: return a + b;
  }
}

std::vector<Value> folded_by_hand(ReduceOp op, DType dtype, std::uint32_t ranks, const CheckValues& values) {
  auto result = decoded(dtype, values.given(op, 0));
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    const auto more = decoded(dtype, values.given(op, rank));
    for (std::size_t i = 0; i < period; ++i) result[i] = folded_by_hand(op, result[i], more[i]);
  }
  for (Value& value : result) {
    if (op == ReduceOp::mean) value /= static_cast<double>(ranks);
    if (dtype == DType::boolean) value = value != 0.0 ? 1 : 0;
    if (op >= ReduceOp::logical_and) value = value != 0.0 ? 1 : 0;
  }
  return result;
}

TEST(CollectiveCheck, FoldsAreWhatDoublePrecisionMakesOfTheValues) {
  for (const DType dtype : all_dtypes()) {
    for (const ReduceOp op : all_ops()) {
      if (!has_meaning(op, dtype)) continue;
      for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 7u}) {
        SCOPED_TRACE(std::string(name(dtype)) + " op " + std::to_string(static_cast<int>(op)) + " of " +
                     std::to_string(ranks));
        const CheckValues values(dtype, ranks, 1);
        EXPECT_EQ(decoded(dtype, values.folded(op)), folded_by_hand(op, dtype, ranks, values));
      }
    }
  }
}

/// Narrow floats count to 8 and no further without rounding; a wide group must not come beyond.
TEST(CollectiveCheck, SumsAndProductsOfManyRanksStayExact) {
  constexpr std::uint32_t ranks = 300;
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::mean, ReduceOp::min, ReduceOp::max}) {
    const CheckValues values(DType::f8_e5m2, ranks, 1);
    const auto folded = decoded(DType::f8_e5m2, values.folded(op));
    EXPECT_EQ(folded, folded_by_hand(op, DType::f8_e5m2, ranks, values));
    for (const Value value : folded) EXPECT_LE(value.real(), 8);
  }
}

TEST(CollectiveCheck, AnIntegersMeanWrapsAsItsSumDoes) {
  constexpr std::uint32_t ranks = 100;
  const CheckValues values(DType::i8, ranks, 1);
  std::vector<int> sums(period);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto given = decoded(DType::i8, values.given(ReduceOp::mean, rank));
    for (std::size_t i = 0; i < period; ++i) sums[i] += static_cast<int>(given[i].real());
  }
  std::vector<Value> expected;
  for (const int sum : sums) expected.emplace_back(static_cast<std::int8_t>(sum) / static_cast<int>(ranks));
  EXPECT_EQ(decoded(DType::i8, values.folded(ReduceOp::mean)), expected);
  EXPECT_GT(*std::ranges::max_element(sums), 127);
}

/// A rank that is left out, comes twice or is mistaken for another changes the result.
TEST(CollectiveCheck, EveryRankMatters) {
  constexpr std::uint32_t ranks = 7;
  for (const DType dtype : {DType::f32, DType::u8, DType::f8_e4m3fn}) {
    const CheckValues values(dtype, ranks, 1);
    const auto whole = values.folded(ReduceOp::sum);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto own = decoded(dtype, values.given(ReduceOp::sum, rank));
      EXPECT_GT(std::ranges::count_if(own, [](Value value) { return value != 0.0; }), 100) << rank;
      for (std::uint32_t other = 0; other < rank; ++other) {
        EXPECT_NE(values.sent(rank), values.sent(other));
        EXPECT_NE(values.given(ReduceOp::sum, rank), values.given(ReduceOp::sum, other));
      }
    }
  }
}

TEST(CollectiveCheck, AnotherSeedMakesOtherValues) {
  const CheckValues one(DType::i32, 2, 1), two(DType::i32, 2, 2);
  EXPECT_NE(one.sent(0), two.sent(0));
  EXPECT_NE(one.folded(ReduceOp::sum), two.folded(ReduceOp::sum));
}

TEST(CollectiveCheck, WhatIsLaidIsRightAndEachOtherElementIsCounted) {
  for (const DType dtype : {DType::boolean, DType::u16, DType::f32, DType::complex64}) {
    const std::size_t element = bytes_of(dtype);
    const auto block = CheckValues(dtype, 3, 1).sent(1);
    for (const std::uint64_t first : {0u, 1u, 1020u, 1021u, 5000u}) {
      std::vector<std::byte> memory(3000 * element, std::byte{0xa5});
      EXPECT_EQ(count_wrong(memory, block, first), 3000u);
      lay_period(memory, block, first);
      EXPECT_EQ(count_wrong(memory, block, first), 0u);
      for (std::size_t i = 0; i < 3000; ++i)
        ASSERT_TRUE(
            std::equal(&memory[i * element], &memory[i * element] + element, &block[(first + i) % period * element]))
            << i;
      for (const std::size_t spoilt : {0u, 1020u, 1021u, 2999u}) memory[spoilt * element + element - 1] ^= std::byte{2};
      EXPECT_EQ(count_wrong(memory, block, first), 4u);
    }
  }
}

/// Parts lie at multiples of powers of two: one in another's place has other values.
TEST(CollectiveCheck, AnotherPlaceHasOtherValues) {
  const auto block = CheckValues(DType::f32, 2, 1).sent(0);
  std::vector<std::byte> memory(4096);
  lay_period(memory, block, 0);
  for (std::uint64_t place = 1; place <= 1u << 20; place *= 2) EXPECT_GT(count_wrong(memory, block, place), 500u);
}

TEST(CollectiveCheck, NothingIsRightAboutNothing) {
  const auto block = CheckValues(DType::f32, 2, 1).sent(0);
  lay_period({}, block, 7);
  EXPECT_EQ(count_wrong({}, block, 7), 0u);
}

TEST(CollectiveCheck, MeaninglessPairsAreThose) {
  const auto meaningless = [](DType dtype) {
    std::vector<int> ops;
    for (const ReduceOp op : all_ops()) {
      if (!has_meaning(op, dtype)) ops.push_back(static_cast<int>(op));
    }
    return ops;
  };
  EXPECT_THAT(meaningless(DType::boolean), testing::ElementsAre(5));
  EXPECT_THAT(meaningless(DType::u32), testing::IsEmpty());
  EXPECT_THAT(meaningless(DType::bf16), testing::ElementsAre(6, 7, 8));
  EXPECT_THAT(meaningless(DType::complex64), testing::ElementsAre(3, 4, 6, 7, 8, 9, 10, 11));
}

}  // namespace
}  // namespace pintle::cli
