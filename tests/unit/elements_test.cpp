// What counts as elements on the host, without the library's ranges.
#include "pintle/elements.h"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <initializer_list>
#include <list>
#include <ranges>
#include <string>
#include <vector>

namespace pintle::test {
namespace {

/// A complex number of another library.
struct Pair {
  using value_type = float;
  float parts[2];
  [[nodiscard]] float real() const { return parts[0]; }
  [[nodiscard]] float imag() const { return parts[1]; }
};

static_assert(ElementRange<std::vector<float>> && ElementRange<const std::vector<float>>);
static_assert(ElementRange<std::vector<float>&> && ElementRange<const std::vector<float>&>);
static_assert(ElementRange<float[4]> && ElementRange<std::array<std::uint8_t, 3>> &&
              ElementRange<std::span<const int>>);
static_assert(ElementRange<std::initializer_list<double>> && ElementRange<std::string>);
static_assert(ElementRange<std::ranges::subrange<float*>> && ElementRange<std::vector<std::complex<float>>>);
static_assert(HostRange<std::vector<std::byte>> && !ElementRange<std::vector<std::byte>>);
static_assert(!HostRange<std::list<float>> && !HostRange<std::vector<bool>> && !HostRange<std::vector<std::string>>);
static_assert(!HostRange<float> && !HostRange<float*> && !HostRange<void>);
static_assert(std::is_same_v<HostElement<const std::vector<float>>, const float>);
static_assert(std::is_same_v<HostValue<const std::vector<float>>, float>);
static_assert(Complex64<std::complex<float>> && Complex64<Pair> && dtype_of<Pair>() == DType::complex64);
static_assert(!Complex64<std::complex<double>> && !Complex64<std::vector<float>> && !Complex64<float> &&
              !Complex64<void>);

TEST(HostRange, IsKnownBeforeTheProgramRuns) {
  const std::vector<float> values(3);
  EXPECT_EQ(std::as_bytes(std::span(values)).size(), 12u);
}

}  // namespace
}  // namespace pintle::test
