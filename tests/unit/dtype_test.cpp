#include "pintle/dtype.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <set>
#include <string>

namespace pintle {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(DType, NamesReadBackAndKeepTheirNumbers) {
  std::set<std::string_view> names;
  for (int number = 1; number <= 16; ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(parse_dtype(name(dtype)), dtype);
    EXPECT_NE(dtype_names().find(name(dtype)), std::string::npos);
    names.insert(name(dtype));
  }
  EXPECT_EQ(names.size(), 16u);
  EXPECT_EQ(name(DType::boolean), "bool");
  EXPECT_EQ(name(DType::complex64), "complex64");
  EXPECT_EQ(static_cast<int>(DType::f32), 12);
}

TEST(DType, WhatIsNoneIsNone) {
  EXPECT_EQ(parse_dtype("F32"), std::nullopt);
  EXPECT_EQ(parse_dtype("float32"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
  EXPECT_EQ(name(static_cast<DType>(99)), "unknown");
  EXPECT_EQ(bytes_of(static_cast<DType>(99)), 1u);
}

template <class T>
void expect_dtype(DType dtype) {
  EXPECT_EQ(dtype_of<T>(), dtype);
  EXPECT_EQ(dtype_of<const T>(), dtype);
  EXPECT_EQ(bytes_of(dtype), sizeof(T));
  EXPECT_TRUE(Element<T>);
}

TEST(DType, StandsForTheTypesOfCxx) {
  expect_dtype<bool>(DType::boolean);
  expect_dtype<std::int8_t>(DType::i8);
  expect_dtype<std::int16_t>(DType::i16);
  expect_dtype<std::int32_t>(DType::i32);
  expect_dtype<std::int64_t>(DType::i64);
  expect_dtype<std::uint8_t>(DType::u8);
  expect_dtype<std::uint16_t>(DType::u16);
  expect_dtype<std::uint32_t>(DType::u32);
  expect_dtype<std::uint64_t>(DType::u64);
  expect_dtype<float>(DType::f32);
  expect_dtype<double>(DType::f64);
  expect_dtype<std::complex<float>>(DType::complex64);
  EXPECT_FALSE(Element<long double>);
  EXPECT_FALSE(Element<float*>);
}

TEST(DType, BytesOfTypesThatCxxLacks) {
  EXPECT_EQ(bytes_of(DType::f16), 2u);
  EXPECT_EQ(bytes_of(DType::bf16), 2u);
  EXPECT_EQ(bytes_of(DType::f8_e4m3fn), 1u);
  EXPECT_EQ(bytes_of(DType::f8_e5m2), 1u);
}

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape{}.count(), 1u);
  EXPECT_EQ(Shape({1080, 1920}).count(), 1080u * 1920u);
  EXPECT_EQ(Shape({5, 0, 7}).count(), 0u);
  EXPECT_EQ(Shape({1ull << 63, 1}).count(), 1ull << 63);
  EXPECT_EQ(Shape({1ull << 63, 2}).count(), std::nullopt);
  EXPECT_EQ(Shape({most, most, 0}).count(), 0u);
}

TEST(Shape, PrintsItsDimensions) {
  EXPECT_EQ(Shape{}.text(), "[]");
  EXPECT_EQ(Shape({1080, 1920}).text(), "[1080,1920]");
  EXPECT_EQ(Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}).text(), "[9 dimensions]");
}

TEST(Shape, HasAtMostEightDimensions) {
  const Shape eight{1, 2, 1, 2, 1, 2, 1, 2};
  const Shape nine{1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_TRUE(eight.is_valid());
  EXPECT_EQ(eight.rank(), 8u);
  EXPECT_FALSE(nine.is_valid());
  EXPECT_EQ(nine.rank(), 9u);
  EXPECT_TRUE(nine.dims().empty());
  EXPECT_EQ(nine.count(), std::nullopt);
}

TEST(Shape, EqualMeansTheSameDimensions) {
  EXPECT_EQ(Shape({2, 3}), Shape({2, 3}));
  EXPECT_NE(Shape({2, 3}), Shape({3, 2}));
  EXPECT_NE(Shape({2}), Shape({2, 1}));
  EXPECT_NE(Shape{}, Shape({0}));
}

TEST(Shape, BytesMustFit) {
  EXPECT_EQ(checked_bytes(DType::f32, Shape{2, 3}), 24u);
  EXPECT_EQ(checked_bytes(DType::complex64, Shape{}), 8u);
  EXPECT_EQ(checked_bytes(DType::f64, Shape{0, most}), 0u);
  EXPECT_EQ(checked_bytes(DType::i8, Shape{most}), most);
  EXPECT_EQ(checked_bytes(DType::i16, Shape{1ull << 63}), std::nullopt);
  EXPECT_EQ(checked_bytes(DType::i8, Shape{1ull << 32, 1ull << 32}), std::nullopt);
}

}  // namespace
}  // namespace pintle
