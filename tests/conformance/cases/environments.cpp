// Kernels, and the floating-point modes of the thread that submits them and waits.
#include <array>
#include <cfenv>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

/// As long as this lives, the thread rounds in this direction.
class Rounding {
 public:
  explicit Rounding(int direction) : before_(std::fegetround()) { std::fesetround(direction); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
  ~Rounding() { std::fesetround(before_); }

 private:
  int before_;
};

// A launch computes in one mode, whether the device's threads or the thread that waits run it.
DEVICE_TEST(Launch, TheRoundingOfTheThreadThatWaitsChangesNothing) {
  test.require_bytes();
  const auto x = ramp<float>(1000, 0.1f, 0.3f), y = ramp<float>(1000, 7.f, -0.7f);
  const std::array operands{Operand::scalar(1.7f), Operand::buffer(x), Operand::buffer(y), Operand::scalar(1000u)};
  const Kernel kernel = test.kernel("saxpy");
  const Outputs usual = three_ways(test, kernel, Grid::cover(1000), operands);
  const Rounding down(FE_DOWNWARD);
  for (int round = 0; round < 5; ++round) {
    const Outputs out = three_ways(test, kernel, Grid::cover(1000), operands);
    CHECK_EQ(values_of<float>(out[2]), values_of<float>(usual[2]));
    CHECK_EQ(std::fegetround(), FE_DOWNWARD);
  }
}

}  // namespace
}  // namespace pintle::conformance
