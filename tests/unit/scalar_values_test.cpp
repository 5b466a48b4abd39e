// Scalars of the C interface.
#include "capi/scalar_values.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace {

using pintle::DType;

TEST(ScalarValues, HaveTheBytesOfTheirDtypeAndNoMore) {
  const std::uint64_t bits = ~std::uint64_t{0};
  for (std::uint32_t number = 1; number <= static_cast<std::uint32_t>(DType::complex64); ++number) {
    const auto made = pintle::capi::scalar_of(number, &bits);
    ASSERT_TRUE(made) << number;
    for (std::size_t i = 0; i < made->bytes.bytes.size(); ++i)
      EXPECT_EQ(made->bytes.bytes[i], i < pintle::bytes_of(made->dtype) ? std::byte{0xff} : std::byte{0}) << number;
  }
  for (const std::uint32_t number : {0U, 17U, 257U, 0xffffffffU})
    EXPECT_FALSE(pintle::capi::scalar_of(number, &bits)) << number;
}

}  // namespace
