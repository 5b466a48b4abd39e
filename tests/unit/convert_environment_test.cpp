// Conversions and the caller's floating-point environment: neither sees the other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/float_environment.h"
#include "pintle/convert.h"
#include "pintle/must.h"
#include "unit/other_process.h"

namespace pintle {
namespace {

constexpr DType floats[] = {DType::f8_e4m3fn, DType::f8_e5m2, DType::f16, DType::bf16, DType::f32, DType::f64};
constexpr DType integers[] = {DType::i8, DType::u8, DType::i16, DType::u32, DType::i64, DType::boolean};
constexpr int traps = FE_DIVBYZERO | FE_INEXACT | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW;

/// Numbers that are inexact, too large, too small, subnormal and none, in f32, so many that lanes are filled.
std::vector<std::byte> hard_numbers() {
  std::vector<float> numbers;
  for (const float number : {1.0f / 3, 1e30f, 1e-30f, -65519.9f, 1e-41f, 5e-8f, 2049.5f, -0.0f,
                             std::numeric_limits<float>::infinity(), std::bit_cast<float>(0x7f800001u)}) {
    numbers.insert(numbers.end(), 7, number);
  }
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> converted(std::span<const std::byte> from, DType of, DType to) {
  const Convert how{of, to};
  std::vector<std::byte> bytes(must(converted_bytes(from.size(), how)));
  must(convert(bytes, from, how));
  return bytes;
}

/// From f32 to each dtype and from there to each, one behind the other.
std::vector<std::byte> converted_in_every_way() {
  std::vector<std::byte> all;
  const std::vector<std::byte> numbers = hard_numbers();
  const auto keep = [&](const std::vector<std::byte>& bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
  for (const DType middle : floats) {
    const auto there = converted(numbers, DType::f32, middle);
    keep(there);
    for (const DType to : floats) keep(converted(there, middle, to));
    for (const DType to : integers) keep(converted(there, middle, to));
  }
  return all;
}

/// In a process of its own, with every exception unmasked.
int convert_with_traps() {
  std::feclearexcept(FE_ALL_EXCEPT);
  ::feenableexcept(traps);
  const auto all = converted_in_every_way();
  return ::fegetexcept() == traps ? 0 : 1;
}

TEST(ConvertEnvironment, UnmaskedExceptionsDoNotTrap) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(convert_with_traps());
  EXPECT_EQ(test::status_of(child), 0) << "-1 is SIGFPE, 1 a mask that is not as it was";
}

TEST(ConvertEnvironment, ARefusalDoesNotTrapEither) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::feenableexcept(traps);
    const auto refused = [] {
      std::vector<std::byte> bytes(70);
      return convert(bytes, hard_numbers(), Convert{DType::f32, DType::i8}.with(Overflow::error));
    }();
    ::_exit(refused ? 1 : 0);
  }
  EXPECT_EQ(test::status_of(child), 0);
}

TEST(ConvertEnvironment, FlagsStayAsTheyWere) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const auto all = converted_in_every_way();
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  std::feraiseexcept(FE_OVERFLOW);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);  // with FE_INEXACT on some processors
  const auto again = converted_in_every_way();
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), raised);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(ConvertEnvironment, TheRoundingModeChangesNothingAndStays) {
  const auto usual = converted_in_every_way();
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const auto all = converted_in_every_way();
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(all, usual) << mode;
  }
}

/// A subnormal number, or zero where such numbers are flushed.
float subnormal() {
  volatile float least = std::numeric_limits<float>::min();
  volatile float half = least / 2;  // computed here, not where it is used
  return half;
}

TEST(ConvertEnvironment, FlushingToZeroChangesNothingAndStays) {
  const auto usual = converted_in_every_way();
  std::fenv_t before{};
  std::fegetenv(&before);
  base::flush_to_zero();
  const float flushed = subnormal();
  const auto all = converted_in_every_way();
  const float still_flushed = subnormal();
  std::fesetenv(&before);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(still_flushed), std::bit_cast<std::uint32_t>(flushed));
  EXPECT_EQ(all, usual);
}

}  // namespace
}  // namespace pintle
