#include "base/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace pintle::base {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(Bytes, AdditionStopsAtTheEdge) {
  EXPECT_EQ(checked_add<std::uint64_t>(most - 1, 1), most);
  EXPECT_EQ(checked_add<std::uint64_t>(most, 1), std::nullopt);
  EXPECT_EQ(checked_add<std::uint64_t>(most, most), std::nullopt);
  EXPECT_EQ(checked_add<std::uint8_t>(200, 55), 255);
  EXPECT_EQ(checked_add<std::uint8_t>(200, 56), std::nullopt);
}

TEST(Bytes, MultiplicationStopsAtTheEdge) {
  EXPECT_EQ(checked_mul<std::uint64_t>(0, most), 0u);
  EXPECT_EQ(checked_mul<std::uint64_t>(most, 0), 0u);
  EXPECT_EQ(checked_mul<std::uint64_t>(most, 1), most);
  EXPECT_EQ(checked_mul<std::uint64_t>(1ull << 32, 1ull << 32), std::nullopt);
  EXPECT_EQ(checked_mul<std::uint64_t>((1ull << 32) - 1, (1ull << 32) + 1), most);
  EXPECT_EQ(checked_mul<std::uint16_t>(256, 256), std::nullopt);
}

TEST(Bytes, EveryByteSumAndProductAgreesWithWiderArithmetic) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      const auto x = static_cast<std::uint8_t>(a);
      const auto y = static_cast<std::uint8_t>(b);
      EXPECT_EQ(checked_add(x, y).has_value(), a + b < 256);
      EXPECT_EQ(checked_mul(x, y).has_value(), a * b < 256);
      EXPECT_EQ(range_fits(a, b, 100), a + b <= 100);
    }
  }
}

TEST(Bytes, AlignmentRaises) {
  EXPECT_EQ(align_up<std::uint64_t>(0, 64), 0u);
  EXPECT_EQ(align_up<std::uint64_t>(1, 64), 64u);
  EXPECT_EQ(align_up<std::uint64_t>(64, 64), 64u);
  EXPECT_EQ(align_up<std::uint64_t>(65, 1), 65u);
  EXPECT_EQ(align_up<std::uint64_t>(most - 63, 64), most - 63);
  EXPECT_EQ(align_up<std::uint64_t>(most - 62, 64), std::nullopt);
}

TEST(Bytes, AlignmentMustBeAPowerOfTwo) {
  EXPECT_EQ(align_up<std::uint64_t>(5, 0), std::nullopt);
  EXPECT_EQ(align_up<std::uint64_t>(5, 48), std::nullopt);
}

TEST(Bytes, RangesWhoseEndOverflowsDoNotFit) {
  EXPECT_TRUE(range_fits(0, 0, 0));
  EXPECT_TRUE(range_fits(80, 0, 80));
  EXPECT_FALSE(range_fits(81, 0, 80));
  EXPECT_FALSE(range_fits(most, 1, most));
  EXPECT_FALSE(range_fits(16, most - 8, 80));
  EXPECT_TRUE(range_fits(0, most, most));
}

TEST(Bytes, LittleEndianFields) {
  constexpr std::array<std::byte, 5> bytes{std::byte{0x01}, std::byte{0x02}, std::byte{0x03}, std::byte{0x04},
                                           std::byte{0xff}};
  EXPECT_EQ(load_little<std::uint32_t>(bytes, 0), 0x04030201u);
  EXPECT_EQ(load_little<std::uint16_t>(bytes, 3), 0xff04u);
  EXPECT_EQ(load_little<std::uint32_t>(bytes, 2), std::nullopt);
  EXPECT_EQ(load_little<std::uint32_t>(bytes, most), std::nullopt);
  EXPECT_EQ(little<std::uint16_t>(0x0201), (std::array{std::byte{0x01}, std::byte{0x02}}));
}

}  // namespace
}  // namespace pintle::base
