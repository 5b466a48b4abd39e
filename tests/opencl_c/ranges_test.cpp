// Loops over those items only that do something, calls that run several groups, and launches with very many items.
#include <gtest/gtest.h>

#include "cases.h"

namespace pintle::test {
namespace {

/// Loops over items that end early, and calls that run several groups.
std::vector<Case> cases_of_ranges() {
  return {
      groups(
          "items_from_and_to",
          "local float a[64]; int l = get_local_id(0), first = n % 64, last = first + 20; a[l] = "
          "in[get_global_id(0)];\n"
          "barrier(CLK_LOCAL_MEM_FENCE); if (l >= first && l <= last) a[l] += 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
          "if (l == first + 2) a[l] *= 2; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = a[l];",
          [](const Values& in, Values& out, std::uint32_t n) {
            const std::size_t first = n % 64;
            for (std::size_t i = 0; i < 512; ++i) {
              out[i] = in[i] + (i % 64 >= first && i % 64 <= first + 20 ? 1 : 0);
              if (i % 64 == first + 2) out[i] *= 2;
            }
          },
          "64", {8, 1, 1}, 55),
      groups(
          "no_item_comes_through",
          "local float a[64]; int l = get_local_id(0); a[l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
          "for (int s = -1; s < (int)n; ++s) { if (l < s) a[l] += 1; barrier(CLK_LOCAL_MEM_FENCE); }\n"
          "if (l > 100) return; out[get_global_id(0)] = a[63 - l];",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t i = 0; i < 512; ++i) {
              const std::size_t l = 63 - i % 64;
              out[i] = in[i / 64 * 64 + l] + static_cast<float>(n > l + 1 ? n - 1 - l : 0);
            }
          },
          "64", {8, 1, 1}, 70),
      groups(
          "unsigned_items_behind_a_barrier",
          "local float a[64]; uint l = get_local_id(0); a[l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
          "uint most = n - 501; if (l <= most) a[l] = -1; barrier(CLK_LOCAL_MEM_FENCE); if (l > n) a[l] = 5;\n"
          "barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = a[l];",
          [](const Values&, Values& out, std::uint32_t) {
            for (std::size_t i = 0; i < 512; ++i) out[i] = -1;
          },
          "64", {8, 1, 1}, 500),
      groups("edges_of_rows_of_groups",
             "int x = get_global_id(0), y = get_global_id(1); if (x < 1 || y < 1 || x >= 31 || y >= 31) return;\n"
             "out[y * 32 + x] = in[y * 32 + x - 1] + in[y * 32 + x + 1] + in[y * 32 + x - 32] * get_num_groups(0);",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t y = 1; y < 31; ++y)
                 for (std::size_t x = 1; x < 31; ++x)
                   out[y * 32 + x] = in[y * 32 + x - 1] + in[y * 32 + x + 1] + in[y * 32 + x - 32] * 4;
             },
             "8,4", {4, 8, 1}),
      groups(
          "rows_of_a_size_that_is_no_power",
          "int x = get_global_id(0), y = get_global_id(1); if (x < (int)n) out[y * 96 + x] = in[y * 96 + x] + x;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t y = 0; y < 10; ++y)
              for (std::size_t x = 0; x < n; ++x) out[y * 96 + x] = in[y * 96 + x] + static_cast<float>(x);
          },
          "12,5", {8, 2, 1}, 91),
      groups("groups_that_know_their_place",
             "uint i = get_global_id(0); out[i] = in[i] + get_group_id(0) * 100 + get_local_id(0);",
             [](const Values& in, Values& out, std::uint32_t) {
               for (std::size_t i = 0; i < 512; ++i) out[i] = in[i] + static_cast<float>(i / 64 * 100 + i % 64);
             }),
  };
}

class Ranges : public testing::TestWithParam<Case> {};

TEST_P(Ranges, AreThoseOfTheSource) { expect_right(GetParam()); }

INSTANTIATE_TEST_SUITE_P(OpenclC, Ranges, testing::ValuesIn(cases_of_ranges()),
                         [](const auto& info) { return info.param.plain.name; });

TEST(OpenclCRanges, AnIntWrapsAroundInALaunchOfTwoToThePowerOf32Items) {
  Device cpu = device_of("cpu");
  const Plain plain{
      "kernel void far(global const float* in, global float* out, uint n) {\n"
      "if (get_local_id(0) != n) return; int i = get_global_id(0); out[get_group_id(0)] = i >> 12; }",
      "far",
      "4194304",
      {1024, 1, 1},
      5};
  const Values result = run_on(cpu, plain, input(64), Values(1024));
  for (int g = 0; g < 1024; ++g) EXPECT_EQ(result[static_cast<std::size_t>(g)], (g < 512 ? g : g - 1024) * 1024) << g;
}

}  // namespace
}  // namespace pintle::test
