// Loops that begin at an item's place, which the cpu makes as long for all items of a group.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "cases.h"

namespace pintle::test {
namespace {

using Item = std::function<std::int64_t(std::int64_t l, std::int64_t g, std::int64_t n)>;

/// `for (TYPE i = START; WHILE; i += STEP) { if (SKIP) continue; ... }`, and the same in C++.
struct Loop {
  std::string name, type, start, question, step;
  Item first, behind;  // the first counter, and the first that is out
  std::int64_t by = 64;
  std::string skip = "0";
  std::function<bool(float)> skips = [](float) { return false; };
};

std::string source_of(const Loop& loop) {
  return fmt::format(
      "kernel void {}(global const float* in, global float* out, uint n) {{\n"
      "  int l = get_local_id(0), g = get_group_id(0), rounds = 0, count = n; float sum = 0;\n"
      "  for ({} i = {}; {}; i += {}) {{ if ({}) continue; ++rounds; sum += in[i + 64] * rounds; }}\n"
      "  out[g * 64 + l] = sum + 65536 * rounds;\n}}",
      loop.name, loop.type, loop.start, loop.question, loop.step, loop.skip);
}

std::vector<Loop> loops() {
  const Item l = [](auto at, auto, auto) { return at; };
  const Item n = [](auto, auto, auto count) { return count; };
  const Item global = [](auto at, auto g, auto) { return 64 * g + at; };
  return {
      {"from_the_place", "int", "l", "i < count", "64", l, n},
      {"from_behind_it", "int", "l + 3", "i < count", "64", [](auto at, auto, auto) { return at + 3; }, n},
      {"from_before_it", "int", "l - 20", "i < count", "64", [](auto at, auto, auto) { return at - 20; }, n},
      {"from_half", "int", "count / 2 + l", "i < count", "64", [](auto at, auto, auto c) { return c / 2 + at; }, n},
      {"by_the_group", "size_t", "get_local_id(0)", "i < n", "get_local_size(0)", l, n},
      {"by_the_grid", "size_t", "get_global_id(0)", "i < n", "get_global_size(0)", global, n, 128},
      {"by_the_grid_as_int", "int", "get_global_id(0)", "i < count", "get_global_size(0)", global, n, 128},
      {"by_one", "int", "l", "i < count", "1", l, n, 1},
      {"unsigned_counter", "uint", "l", "i < n", "64", l, n},
      {"long_counter", "long", "l", "i < count", "64", l, n},
      {"short_counter", "short", "l", "i < count", "64", l, n},
      {"up_to", "int", "l", "i <= count", "64", l, [](auto, auto, auto c) { return c + 1; }},
      {"asked_from_the_right", "int", "l", "count > i", "64", l, n},
      {"every_second", "int", "2 * l", "i < count", "128", [](auto at, auto, auto) { return 2 * at; }, n, 128},
      {"back_to_front", "int", "63 - l", "i < count", "64", [](auto at, auto, auto) { return 63 - at; }, n},
      {"each_to_its_own", "int", "l", "i < count - 5 * l", "64", l, [](auto at, auto, auto c) { return c - 5 * at; }},
      {"to_a_loaded_limit", "int", "l", "i < (int)in[64]", "64", l, [](auto, auto, auto) { return 321; }},
      {"that_skips", "int", "l", "i < count", "64", l, n, 64, "in[i + 64] < 0", [](float x) { return x < 0; }},
  };
}

Values input_of_loops() {
  Values in = input(1100);
  in[64] = 321;
  return in;
}

class UnevenLoops : public testing::TestWithParam<Loop> {};

TEST_P(UnevenLoops, RunEachRoundOfEachItem) {
  const Loop& loop = GetParam();
  const Values in = input_of_loops();
  Device cpu = device_of("cpu");
  for (const std::uint32_t n : {0U, 1U, 5U, 63U, 64U, 65U, 130U, 500U, 1000U}) {
    Values expected(128);
    for (std::int64_t item = 0; item < 128; ++item) {
      const std::int64_t l = item % 64, g = item / 64;
      float sum = 0, rounds = 0;
      for (std::int64_t i = loop.first(l, g, n); i < loop.behind(l, g, n); i += loop.by) {
        const float x = in[static_cast<std::size_t>(i + 64)];
        if (loop.skips(x)) continue;
        sum += x * ++rounds;
      }
      expected[static_cast<std::size_t>(item)] = sum + 65536 * rounds;
    }
    const Plain plain{source_of(loop), loop.name, "64", {2, 1, 1}, n};
    EXPECT_EQ(run_on(cpu, plain, in, Values(128)), expected) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(OpenclC, UnevenLoops, testing::ValuesIn(loops()),
                         [](const auto& info) { return info.param.name; });

/// Loops that meet others, barriers, guards and a second dimension.
std::vector<Case> cases_of_others() {
  return {
      groups(
          "normalised_rows",
          "local float p[64]; int l = get_local_id(0), row = get_group_id(0) * 128, count = n; float most = -1000;\n"
          "for (int i = l; i < count; i += 64) most = fmax(most, in[row + i]);\n"
          "p[l] = most; barrier(CLK_LOCAL_MEM_FENCE);\n"
          "for (int s = 32; s > 0; s >>= 1) { if (l < s) p[l] = fmax(p[l], p[l + s]); barrier(CLK_LOCAL_MEM_FENCE); }\n"
          "for (int i = l; i < count; i += 64) out[row + i] = in[row + i] - p[0];",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t row = 0; row < 1024; row += 128) {
              const float most = *std::max_element(&in[row], &in[row] + n);
              for (std::size_t i = row; i < row + n; ++i) out[i] = in[i] - most;
            }
          },
          "64", {8, 1, 1}, 101),
      groups(
          "only_for_some",
          "int l = get_local_id(0), count = n; float sum = 0;\n"
          "if (l < 10) for (int i = l; i < count; i += 64) sum += in[i];\n"
          "out[get_global_id(0)] = sum;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t item = 0; item < 512; ++item) {
              out[item] = 0;
              for (std::size_t i = item % 64; item % 64 < 10 && i < n; i += 64) out[item] += in[i];
            }
          },
          "64", {8, 1, 1}, 300),
      groups(
          "within_rounds_of_all",
          "int l = get_local_id(0), count = n; float sum = 0;\n"
          "for (int k = 0; k < 3; ++k) { for (int i = l; i < count - 40 * k; i += 64) sum += in[i] * (k + 1); }\n"
          "out[get_global_id(0)] = sum;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t item = 0; item < 512; ++item) {
              out[item] = 0;
              for (std::size_t k = 0; k < 3; ++k)
                for (std::size_t i = item % 64; i < n - 40 * k; i += 64) out[item] += in[i] * static_cast<float>(k + 1);
            }
          },
          "64", {8, 1, 1}, 300),
      groups(
          "that_end_early",
          "int l = get_local_id(0), count = n; float sum = 0;\n"
          "for (int i = l; i < count; i += 64) { if (in[i] > 45) break; sum += in[i]; }\n"
          "out[get_global_id(0)] = sum;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t item = 0; item < 512; ++item) {
              out[item] = 0;
              for (std::size_t i = item % 64; i < n && in[i] <= 45; i += 64) out[item] += in[i];
            }
          },
          "64", {8, 1, 1}, 700),
      groups(
          "in_lines",
          "int x = get_local_id(0), y = get_local_id(1), count = n; float sum = 0;\n"
          "for (int i = x; i < count; i += 16) sum += in[i] * (y + 1);\n"
          "out[(get_group_id(0) * 4 + y) * 16 + x] = sum;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t item = 0; item < 512; ++item) {
              out[item] = 0;
              for (std::size_t i = item % 16; i < n; i += 16)
                out[item] += in[i] * static_cast<float>(item / 16 % 4 + 1);
            }
          },
          "16,4", {8, 1, 1}, 135),
      groups(
          "from_both_places",
          "int x = get_local_id(0), y = get_local_id(1), count = n; float sum = 0;\n"
          "for (int i = 16 * y + x; i < count; i += 64) sum += in[i];\n"
          "out[(get_group_id(0) * 4 + y) * 16 + x] = sum;",
          [](const Values& in, Values& out, std::uint32_t n) {
            for (std::size_t item = 0; item < 512; ++item) {
              out[item] = 0;
              for (std::size_t i = item % 64; i < n; i += 64) out[item] += in[i];
            }
          },
          "16,4", {8, 1, 1}, 135),
  };
}

class UnevenLoopsMeet : public testing::TestWithParam<Case> {};

TEST_P(UnevenLoopsMeet, Others) { expect_right(GetParam()); }

INSTANTIATE_TEST_SUITE_P(OpenclC, UnevenLoopsMeet, testing::ValuesIn(cases_of_others()),
                         [](const auto& info) { return info.param.plain.name; });

}  // namespace
}  // namespace pintle::test
