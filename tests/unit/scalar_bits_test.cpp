// Scalars of the C interface.
#include "capi/scalar_bits.h"

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"

namespace {

using pintle::DType;

TEST(ScalarBits, HaveTheBytesOfTheirDtypeAndNoMore) {
  for (int number = 1; number <= static_cast<int>(DType::complex64); ++number) {
    const auto dtype = static_cast<DType>(number);
    const pintle::ScalarValue made = pintle::capi::scalar_of(dtype, ~std::uint64_t{0});
    EXPECT_EQ(made.dtype, dtype);
    for (std::size_t i = 0; i < made.bytes.bytes.size(); ++i)
      EXPECT_EQ(made.bytes.bytes[i], i < pintle::bytes_of(dtype) ? std::byte{0xff} : std::byte{0}) << number;
  }
}

}  // namespace
