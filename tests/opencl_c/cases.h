// Kernels with what they give, run on the cpu and, where it is there, on PoCL.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "rig.h"

namespace pintle::test {

using Values = std::vector<float>;
using Reference = std::function<void(const Values& in, Values& out, std::uint32_t n)>;

struct Case {
  Plain plain;
  std::size_t in, out;
  Reference reference;
};

inline void PrintTo(const Case& one, std::ostream* out) { *out << one.plain.name; }

/// Small integers, so that every sum is exact.
inline Values input(std::size_t count) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 37 + 11) % 101) - 50;
  return values;
}

inline Case groups(std::string name, std::string body, Reference reference, std::string group = "64",
                   Grid count = {8, 1, 1}, std::uint32_t n = 512, std::string before = "", std::string last = "") {
  return {{before + "\nkernel void " + name + "(global const float* in, global float* out, uint n" + last + ") {\n" +
               body + "\n}",
           name, group, count, n},
          1024,
          1024,
          std::move(reference)};
}

inline void expect_right(const Case& one) {
  const Values in = input(one.in);
  Values expected(one.out, -7);
  Device cpu = device_of("cpu");
  const Values result = run_on(cpu, one.plain, in, expected);
  one.reference(in, expected, one.plain.n);
  EXPECT_EQ(result, expected);
  auto pocl = device_if_there("opencl:pocl");
  if (pocl && one.plain.name != "group_functions") {  // PoCL 3.1 has none of them
    EXPECT_EQ(result, run_on(*pocl, one.plain, in, Values(one.out, -7)));
  }
}

}  // namespace pintle::test
