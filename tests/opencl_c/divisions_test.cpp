// Divisions of integers: right where OpenCL C says what they give, and no end of the process where it does not.
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "rig.h"

namespace pintle::test {
namespace {

constexpr std::size_t pairs = 256;  // a multiple of the group, and of vectors

template <class T>
struct Names;
template <>
struct Names<std::int8_t> {
  static constexpr const char* of[2] = {"char", "i8"};
};
template <>
struct Names<std::uint8_t> {
  static constexpr const char* of[2] = {"uchar", "u8"};
};
template <>
struct Names<std::int16_t> {
  static constexpr const char* of[2] = {"short", "i16"};
};
template <>
struct Names<std::uint16_t> {
  static constexpr const char* of[2] = {"ushort", "u16"};
};
template <>
struct Names<std::int32_t> {
  static constexpr const char* of[2] = {"int", "i32"};
};
template <>
struct Names<std::uint32_t> {
  static constexpr const char* of[2] = {"uint", "u32"};
};
template <>
struct Names<std::int64_t> {
  static constexpr const char* of[2] = {"long", "i64"};
};
template <>
struct Names<std::uint64_t> {
  static constexpr const char* of[2] = {"ulong", "u64"};
};

/// Every pair of values at the ends and around zero.
template <class T>
std::pair<std::vector<T>, std::vector<T>> operands() {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values{0,
                              1,
                              2,
                              3,
                              7,
                              10,
                              64,
                              100,
                              Limits::max(),
                              T(Limits::max() - 1),
                              Limits::min(),
                              T(Limits::min() + 1),
                              T(-1),
                              T(-2),
                              T(-7),
                              T(5)};
  std::pair<std::vector<T>, std::vector<T>> all;
  for (const T a : values) {
    for (const T b : values) {
      all.first.push_back(a);
      all.second.push_back(b);
    }
  }
  return all;
}

/// Whether the processor would trap in an operation of so many bits.
template <class T>
bool overflows(T a, T b) {
  return std::is_signed_v<T> && sizeof(T) >= 4 && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}

template <class T>
T quotient(T a, T b) {
  return b == 0 || overflows(a, b) ? a : static_cast<T>(a / b);
}

template <class T>
T rest(T a, T b) {
  return b == 0 || overflows(a, b) ? T{0} : static_cast<T>(a % b);
}

/// The quotients and the rests of the kernel `f`, whose text has NUMBER for the type.
template <class T>
std::pair<std::vector<T>, std::vector<T>> divided(std::string source, std::uint32_t per_item) {
  const auto [name, dtype] = Names<T>::of;
  for (std::size_t at = 0; (at = source.find("NUMBER")) != std::string::npos;) source.replace(at, 6, name);
  const std::string numbers = std::string(dtype) + "[]";
  const std::string entry = "f(a: read " + numbers + ", b: read " + numbers + ", q: write " + numbers + ", r: write " +
                            numbers + ") group 16";
  const std::string_view signatures[] = {entry};
  Device device = device_of("cpu");
  const Kernel kernel = must(device.load(must(ProgramPack::source("opencl_c", source, signatures)), "f"));
  Queue queue = must(device.create_queue());
  const auto [first, second] = operands<T>();
  Buffer a = must(device.allocate_for(first)), b = must(device.allocate_for(first)),
         q = must(device.allocate_for(first)), r = must(device.allocate_for(first));
  must(queue.submit(CommandList{}.upload(a, first).upload(b, second).exec(
      kernel, Grid{static_cast<std::uint32_t>(pairs) / 16 / per_item, 1, 1}, a, b, q, r)));
  return {must(read<T>(queue, q)), must(read<T>(queue, r))};
}

template <class T>
class OpenClCDivisions : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(OpenClCDivisions, Integers);

template <class T>
void expect_divided(const std::string& source, std::uint32_t per_item, T only_divisor = 0) {
  const auto [first, second] = operands<T>();
  const auto [quotients, rests] = divided<T>(source, per_item);
  ASSERT_EQ(first.size(), pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const T divisor = only_divisor != 0 ? only_divisor : second[i];
    EXPECT_EQ(quotients[i], quotient(first[i], divisor)) << +first[i] << " / " << +divisor;
    EXPECT_EQ(rests[i], rest(first[i], divisor)) << +first[i] << " % " << +divisor;
  }
}

TYPED_TEST(OpenClCDivisions, AreRightOrDefinedForScalars) {
  expect_divided<TypeParam>(
      "kernel void f(global const NUMBER* a, global const NUMBER* b, global NUMBER* q, global NUMBER* r) {\n"
      "  uint i = get_global_id(0); q[i] = a[i] / b[i]; r[i] = a[i] % b[i]; }",
      1);
}

TYPED_TEST(OpenClCDivisions, AreRightForNumbersOfTheSource) {
  expect_divided<TypeParam>(
      "kernel void f(global const NUMBER* a, global const NUMBER* b, global NUMBER* q, global NUMBER* r) {\n"
      "  uint i = get_global_id(0); q[i] = a[i] / 7; r[i] = a[i] % 7; }",
      1, TypeParam{7});
}

// The elements of a vector keep their own width.
TEST(OpenClCDivisionsOfVectors, AreRightOrDefined) {
  const std::string source =
      "kernel void f(global const NUMBER* a, global const NUMBER* b, global NUMBER* q, global NUMBER* r) {\n"
      "  uint i = get_global_id(0); vstore4(vload4(i, a) / vload4(i, b), i, q); vstore4(vload4(i, a) % vload4(i, b), "
      "i, r); }";
  expect_divided<std::int32_t>(source, 4);
  expect_divided<std::uint32_t>(source, 4);
  expect_divided<std::int64_t>(source, 4);
  expect_divided<std::uint64_t>(source, 4);
  const std::string one_lane =
      "kernel void f(global const NUMBER* a, global const NUMBER* b, global NUMBER* q, global NUMBER* r) {\n"
      "  uint i = get_global_id(0); NUMBER2 x = (NUMBER2)(a[i], a[i]); q[i] = (x / (NUMBER2)(-1, 3)).x; "
      "r[i] = (x % (NUMBER2)(5, -1)).y; }";
  const auto [quotients, rests] = divided<std::int32_t>(one_lane, 1);
  const auto [first, second] = operands<std::int32_t>();
  for (std::size_t i = 0; i < pairs; ++i) {
    EXPECT_EQ(quotients[i], quotient(first[i], -1));
    EXPECT_EQ(rests[i], 0);
  }
}

// An undefined result is no reason to leave out what stands beside it.
TEST(OpenClCDivisionsByZero, LeaveTheRestOfTheKernelRight) {
  const auto [quotients, rests] = divided<std::int32_t>(
      "kernel void f(global const int* a, global const int* b, global int* q, global int* r) {\n"
      "  uint i = get_global_id(0); int x = a[i] / b[i]; q[i] = b[i] == 0 ? 42 : x; int zero = 0; r[i] = a[i] % zero;\n"
      "  if (b[i] == 0) r[i] = 17; }",
      1);
  const auto [first, second] = operands<std::int32_t>();
  for (std::size_t i = 0; i < pairs; ++i) {
    EXPECT_EQ(quotients[i], second[i] == 0 ? 42 : quotient(first[i], second[i]));
    EXPECT_EQ(rests[i], second[i] == 0 ? 17 : 0);
  }
}

// By an item's own place, in a loop, behind a barrier: where the optimizer moves divisions about.
TEST(OpenClCDivisionsByZero, InLoopsAndBehindBarriers) {
  const auto [quotients, rests] = divided<std::int32_t>(
      "kernel void f(global const int* a, global const int* b, global int* q, global int* r) {\n"
      "  local int t[16]; int l = get_local_id(0), sum = 0; uint i = get_global_id(0);\n"
      "  for (int k = -3; k < 4; ++k) sum += 1000 / (l - k - 3);\n"
      "  t[l] = sum; barrier(CLK_LOCAL_MEM_FENCE); q[i] = t[15 - l]; r[i] = t[l] % (l - 8); }",
      1);
  const auto of_item = [](std::int32_t l) {
    std::int32_t sum = 0;
    for (std::int32_t k = -3; k < 4; ++k) sum += quotient(1000, l - k - 3);
    return sum;
  };
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto l = static_cast<std::int32_t>(i % 16);
    EXPECT_EQ(quotients[i], of_item(15 - l));
    EXPECT_EQ(rests[i], rest(of_item(l), l - 8));
  }
}

}  // namespace
}  // namespace pintle::test
