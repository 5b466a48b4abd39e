// Functions of subgroups against a reference on the host, over sizes and shapes of groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>
#include <numeric>

#include "cases.h"

namespace pintle::test {
namespace {

constexpr std::size_t most_items = 128;

/// One subgroup of a group: what its items bring along, which of them is asked, and where it is.
struct Lane {
  std::vector<float> x;
  std::size_t me = 0, id = 0, count = 0, size = 0;

  [[nodiscard]] float from(std::size_t place) const { return place < x.size() ? x[place] : x[me]; }
  [[nodiscard]] float sum(std::size_t first, std::size_t last) const {
    return std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(first),
                           x.begin() + static_cast<std::ptrdiff_t>(std::min(last, x.size())), 0.F);
  }
  [[nodiscard]] float count_if(const std::function<bool(float)>& is) const {
    return static_cast<float>(std::ranges::count_if(x, is));
  }
};

struct Row {
  std::string text;  ///< An expression of `x` (a float), `i` (an int of the same value), `me`.
  std::function<double(const Lane&)> reference;
};

double number(std::size_t value) { return static_cast<double>(value); }

const std::vector<Row>& places() {
  static const std::vector<Row> rows{
      {"get_sub_group_size()", [](const Lane& l) { return number(l.x.size()); }},
      {"get_max_sub_group_size()", [](const Lane& l) { return number(l.size); }},
      {"get_num_sub_groups()", [](const Lane& l) { return number(l.count); }},
      {"get_enqueued_num_sub_groups()", [](const Lane& l) { return number(l.count); }},
      {"get_sub_group_id()", [](const Lane& l) { return number(l.id); }},
      {"get_sub_group_local_id()", [](const Lane& l) { return number(l.me); }},
      {"get_local_linear_id()", [](const Lane& l) { return number(l.id * l.size + l.me); }}};
  return rows;
}

const std::vector<Row>& reductions() {
  static const std::vector<Row> rows{
      {"sub_group_reduce_add(x)", [](const Lane& l) { return l.sum(0, l.x.size()); }},
      {"sub_group_reduce_min(i)", [](const Lane& l) { return *std::ranges::min_element(l.x); }},
      {"sub_group_reduce_max((long)i)", [](const Lane& l) { return *std::ranges::max_element(l.x); }},
      {"sub_group_reduce_add((half)(me % 4))",
       [](const Lane& l) {
         std::size_t all = 0;
         for (std::size_t i = 0; i < l.x.size(); ++i) all += i % 4;
         return number(all);
       }},
      {"sub_group_scan_inclusive_add(x)", [](const Lane& l) { return l.sum(0, l.me + 1); }},
      {"sub_group_scan_exclusive_add((double)x)", [](const Lane& l) { return l.sum(0, l.me); }},
      {"sub_group_scan_inclusive_max(i)",
       [](const Lane& l) {
         return *std::max_element(l.x.begin(), l.x.begin() + static_cast<std::ptrdiff_t>(l.me + 1));
       }},
      {"sub_group_scan_exclusive_min((short)i) == SHRT_MAX", [](const Lane& l) { return l.me == 0 ? 1 : 0; }},
      {"sub_group_scan_inclusive_min((double)x)",
       [](const Lane& l) {
         return *std::min_element(l.x.begin(), l.x.begin() + static_cast<std::ptrdiff_t>(l.me + 1));
       }},
      {"sub_group_scan_exclusive_max((uint)(i + 60))",
       [](const Lane& l) {
         return l.me == 0 ? 0 : *std::max_element(l.x.begin(), l.x.begin() + static_cast<std::ptrdiff_t>(l.me)) + 60;
       }},
      {"sub_group_all(i > -51)", [](const Lane&) { return 1; }},
      {"sub_group_all(i > 0)", [](const Lane& l) { return l.count_if([](float x) { return x <= 0; }) == 0 ? 1 : 0; }},
      {"sub_group_any(i == 7)", [](const Lane& l) { return l.count_if([](float x) { return x == 7; }) > 0 ? 1 : 0; }},
      {"sub_group_clustered_reduce_add(x, 4)", [](const Lane& l) { return l.sum(l.me / 4 * 4, l.me / 4 * 4 + 4); }},
      {"sub_group_clustered_reduce_xor(me, 8)", [](const Lane& l) {
         std::size_t all = 0;
         for (std::size_t i = l.me / 8 * 8; i < std::min(l.me / 8 * 8 + 8, l.x.size()); ++i) all ^= i;
         return number(all);
       }}};
  return rows;
}

/// Reductions of short and ushort have Intel's names.
const std::vector<Row>& short_reductions() {
  const auto to = [](const Lane& l, std::size_t count) { return l.x.begin() + static_cast<std::ptrdiff_t>(count); };
  static const std::vector<Row> rows{
      {"intel_sub_group_reduce_add((short)i)", [](const Lane& l) { return l.sum(0, l.x.size()); }},
      {"intel_sub_group_reduce_min((short)i)", [](const Lane& l) { return *std::ranges::min_element(l.x); }},
      {"intel_sub_group_reduce_max((ushort)(i + 60)) - 60",
       [](const Lane& l) { return *std::ranges::max_element(l.x); }},
      {"intel_sub_group_scan_inclusive_add((short)i)", [](const Lane& l) { return l.sum(0, l.me + 1); }},
      {"intel_sub_group_scan_inclusive_min((ushort)(i + 60)) - 60",
       [=](const Lane& l) { return *std::min_element(l.x.begin(), to(l, l.me + 1)); }},
      {"intel_sub_group_scan_inclusive_max((short)i)",
       [=](const Lane& l) { return *std::max_element(l.x.begin(), to(l, l.me + 1)); }},
      {"intel_sub_group_scan_exclusive_add((short)i)", [](const Lane& l) { return l.sum(0, l.me); }},
      {"intel_sub_group_scan_exclusive_min((short)i)",
       [=](const Lane& l) { return l.me == 0 ? SHRT_MAX : *std::min_element(l.x.begin(), to(l, l.me)); }},
      {"intel_sub_group_scan_exclusive_max((ushort)(i + 60))",
       [=](const Lane& l) { return l.me == 0 ? 0 : *std::max_element(l.x.begin(), to(l, l.me)) + 60; }}};
  return rows;
}

/// What the items of one cluster of `size` combine to.
double in_cluster(const Lane& l, std::size_t size, const std::function<double(double, double)>& combine) {
  const std::size_t first = l.me / size * size, last = std::min(first + size, l.x.size());
  double all = l.x[first];
  for (std::size_t i = first + 1; i < last; ++i) all = combine(all, l.x[i]);
  return all;
}
int whole(double x) { return static_cast<int>(x); }

const std::vector<Row>& clusters() {
  static const std::vector<Row> rows{
      {"sub_group_clustered_reduce_min(i, 4)",
       [](const Lane& l) { return in_cluster(l, 4, [](double a, double b) { return std::min(a, b); }); }},
      {"sub_group_clustered_reduce_max(x, 8)",
       [](const Lane& l) { return in_cluster(l, 8, [](double a, double b) { return std::max(a, b); }); }},
      {"sub_group_clustered_reduce_mul((double)x, 2)",
       [](const Lane& l) { return in_cluster(l, 2, [](double a, double b) { return a * b; }); }},
      {"sub_group_clustered_reduce_and(i, 4)",
       [](const Lane& l) { return in_cluster(l, 4, [](double a, double b) { return whole(a) & whole(b); }); }},
      {"sub_group_clustered_reduce_or((long)i, 4)",
       [](const Lane& l) { return in_cluster(l, 4, [](double a, double b) { return whole(a) | whole(b); }); }},
      {"sub_group_clustered_reduce_logical_and(i > 0, 4)",
       [](const Lane& l) { return in_cluster(l, 4, [](double a, double b) { return std::min(a, b); }) > 0 ? 1 : 0; }},
      {"sub_group_clustered_reduce_logical_or(i > 20, 4)",
       [](const Lane& l) { return in_cluster(l, 4, [](double a, double b) { return std::max(a, b); }) > 20 ? 1 : 0; }},
      {"sub_group_clustered_reduce_logical_xor(i > 0, 1)", [](const Lane& l) { return l.x[l.me] > 0 ? 1 : 0; }},
      {"sub_group_clustered_reduce_logical_xor(me % 3 == 0, 8)",
       [](const Lane& l) {
         int all = 0;
         for (std::size_t i = l.me / 8 * 8; i < std::min(l.me / 8 * 8 + 8, l.x.size()); ++i) all ^= i % 3 == 0 ? 1 : 0;
         return all;
       }},
      {"sub_group_clustered_rotate(x, 3, 4)", [](const Lane& l) { return l.from(l.me / 4 * 4 + (l.me + 3) % 4); }}};
  return rows;
}

const std::vector<Row>& shuffles() {
  static const std::vector<Row> rows{
      {"sub_group_broadcast(x, 3)", [](const Lane& l) { return l.from(3); }},
      {"sub_group_broadcast((float4)(x, 1, 2, x + 1), 2).w", [](const Lane& l) { return l.from(2) + 1; }},
      {"sub_group_broadcast_first(i)", [](const Lane& l) { return l.x[0]; }},
      {"sub_group_shuffle(x, me ^ 5)", [](const Lane& l) { return l.from(l.me ^ 5); }},
      {"sub_group_shuffle((char)i, (me * 3 + 1) % get_sub_group_size())",
       [](const Lane& l) { return l.from((l.me * 3 + 1) % l.x.size()); }},
      {"sub_group_shuffle_xor(x, 1)", [](const Lane& l) { return l.from(l.me ^ 1); }},
      {"sub_group_shuffle_up(x, 2)", [](const Lane& l) { return l.from(l.me - 2); }},
      {"sub_group_shuffle_down(x, 3)", [](const Lane& l) { return l.from(l.me + 3); }},
      {"sub_group_rotate(x, 3)", [](const Lane& l) { return l.from((l.me + 3) % l.size); }},
      {"sub_group_non_uniform_broadcast((ulong)(i + 60), 1)", [](const Lane& l) { return l.from(1) + 60; }},
      {"intel_sub_group_broadcast((half)i, 2)", [](const Lane& l) { return l.from(2); }},
      {"(sub_group_barrier(CLK_LOCAL_MEM_FENCE), sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group), x)",
       [](const Lane& l) { return l.x[l.me]; }},
      {"intel_sub_group_shuffle((float2)(x, 2 * x), me ^ 2).y", [](const Lane& l) { return 2 * l.from(l.me ^ 2); }},
      {"intel_sub_group_shuffle_xor((ushort)me, 3)",
       [](const Lane& l) { return number((l.me ^ 3) < l.x.size() ? l.me ^ 3 : l.me); }}};
  return rows;
}

const std::vector<Row>& ballots() {
  const auto odd = [](std::size_t i) { return i % 3 == 1; };
  const auto counted = [odd](std::size_t last) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < last; ++i) count += odd(i) ? 1U : 0U;
    return number(count);
  };
  static const std::vector<Row> rows{
      {"sub_group_ballot_bit_count(sub_group_ballot(me % 3 == 1))", [=](const Lane& l) { return counted(l.x.size()); }},
      {"sub_group_ballot_inclusive_scan(sub_group_ballot(me % 3 == 1))",
       [=](const Lane& l) { return counted(l.me + 1); }},
      {"sub_group_ballot_exclusive_scan(sub_group_ballot(me % 3 == 1))", [=](const Lane& l) { return counted(l.me); }},
      {"sub_group_inverse_ballot(sub_group_ballot(me % 3 == 1))", [=](const Lane& l) { return odd(l.me) ? 1 : 0; }},
      {"sub_group_ballot_bit_extract(sub_group_ballot(me % 3 == 1), 4)",
       [=](const Lane& l) { return l.x.size() > 4 ? 1 : 0; }},
      {"sub_group_ballot_find_lsb(sub_group_ballot(me >= 2))", [](const Lane&) { return 2; }},
      {"sub_group_ballot_find_msb(sub_group_ballot(me % 2 == 0))",
       [](const Lane& l) { return number((l.x.size() - 1) / 2 * 2); }},
      {"sub_group_ballot_bit_count(get_sub_group_ge_mask())", [](const Lane& l) { return number(l.x.size() - l.me); }},
      {"sub_group_ballot_bit_count(get_sub_group_lt_mask())", [](const Lane& l) { return number(l.me); }},
      {"sub_group_ballot_bit_count(get_sub_group_gt_mask())",
       [](const Lane& l) { return number(l.x.size() - l.me - 1); }},
      {"sub_group_ballot_bit_count(get_sub_group_le_mask())", [](const Lane& l) { return number(l.me + 1); }},
      {"sub_group_ballot_find_lsb(get_sub_group_eq_mask())", [](const Lane& l) { return number(l.me); }}};
  return rows;
}

struct Shape {
  std::array<std::size_t, 3> group;
  std::size_t size = 0;  ///< The size of a subgroup; 0: none is asked for.

  [[nodiscard]] std::size_t items() const { return group[0] * group[1] * group[2]; }
  [[nodiscard]] std::size_t subgroup() const {
    const bool has_lines = group[0] < items() && group[0] >= 16 && group[0] <= most_items;
    return size != 0 ? size : has_lines ? group[0] : std::min(items(), most_items);
  }
  [[nodiscard]] std::string group_text() const {
    return std::to_string(group[0]) + "," + std::to_string(group[1]) + "," + std::to_string(group[2]);
  }
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.group_text() << " of " << shape.size; }

std::string kernel_of(const std::vector<Row>& rows, const Shape& shape) {
  std::string text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel ";
  if (shape.size != 0) text += "__attribute__((intel_reqd_sub_group_size(" + std::to_string(shape.size) + "))) ";
  const std::string items = std::to_string(shape.items()), width = std::to_string(rows.size());
  text +=
      "void f(global const float* in, global float* out, uint n) {\n  uint me = get_sub_group_local_id(), at = "
      "get_group_id(0) * " +
      items + " + get_sub_group_id() * get_max_sub_group_size() + me;\n  float x = in[at]; int i = (int)x;\n";
  for (std::size_t k = 0; k < rows.size(); ++k)
    text += "  out[at * " + width + " + " + std::to_string(k) + "] = " + rows[k].text + ";\n";
  return text + "}\n";
}

constexpr std::uint32_t groups_run = 3;

Plain plain_of(const std::string& source, const Shape& shape) {
  const std::string subgroup = shape.size == 0 ? "" : " subgroup " + std::to_string(shape.size);
  return {source, "f", shape.group_text() + subgroup, {groups_run, 1, 1}, 0};
}

/// Calls `see` with each item of each group: its place in all, and its subgroup.
void for_each_item(const Shape& shape, const Values& in, const std::function<void(std::size_t, const Lane&)>& see) {
  const std::size_t items = shape.items(), size = shape.subgroup(), count = (items + size - 1) / size;
  for (std::size_t group = 0; group < groups_run; ++group) {
    for (std::size_t id = 0; id < count; ++id) {
      const std::size_t first = group * items + id * size, in_it = std::min(size, items - id * size);
      Lane lane{{}, 0, id, count, size};
      lane.x.assign(in.begin() + static_cast<std::ptrdiff_t>(first),
                    in.begin() + static_cast<std::ptrdiff_t>(first + in_it));
      for (lane.me = 0; lane.me < in_it; ++lane.me) see(first + lane.me, lane);
    }
  }
}

void expect_rows(const std::vector<Row>& rows, const Shape& shape, const std::string& id) {
  auto device = device_if_there(id);
  if (!device) GTEST_SKIP() << id << " is not there";
  const Values in = input(shape.items() * groups_run);
  const Values out = run_on(*device, plain_of(kernel_of(rows, shape), shape), in, Values(in.size() * rows.size(), -7));
  for_each_item(shape, in, [&](std::size_t at, const Lane& lane) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      EXPECT_EQ(out[at * rows.size() + k], static_cast<float>(rows[k].reference(lane)))
          << rows[k].text << " of item " << lane.me << " of subgroup " << lane.id;
  });
}

class Subgroups : public testing::TestWithParam<Shape> {};

TEST_P(Subgroups, HavePlaces) { expect_rows(places(), GetParam(), "cpu"); }
TEST_P(Subgroups, Reduce) { expect_rows(reductions(), GetParam(), "cpu"); }
TEST_P(Subgroups, Shuffle) { expect_rows(shuffles(), GetParam(), "cpu"); }
TEST_P(Subgroups, ReduceShorts) { expect_rows(short_reductions(), GetParam(), "cpu"); }
TEST_P(Subgroups, Cluster) { expect_rows(clusters(), GetParam(), "cpu"); }
TEST_P(Subgroups, Vote) { expect_rows(ballots(), GetParam(), "cpu"); }

// One subgroup, several, a last one with fewer items, lines of a whole number of subgroups and of a part of one.
INSTANTIATE_TEST_SUITE_P(OpenClC, Subgroups,
                         testing::Values(Shape{{64, 1, 1}, 8}, Shape{{64, 1, 1}, 16}, Shape{{64, 1, 1}, 32},
                                         Shape{{40, 1, 1}, 16}, Shape{{16, 1, 1}, 16}, Shape{{12, 1, 1}, 16},
                                         Shape{{16, 4, 1}, 16}, Shape{{32, 3, 2}, 16}, Shape{{8, 6, 1}, 16},
                                         Shape{{5, 3, 3}, 8}, Shape{{4, 4, 5}, 32}, Shape{{64, 1, 1}, 0},
                                         Shape{{10, 5, 1}, 0}, Shape{{200, 1, 1}, 0}, Shape{{256, 1, 1}, 64},
                                         Shape{{32, 4, 1}, 0}, Shape{{20, 1, 3}, 0}, Shape{{130, 2, 1}, 0}));

/// What Intel's driver for the processor has too.
std::vector<Row> common_rows() {
  std::vector<Row> rows;
  for (const auto* const some : {&reductions(), &shuffles()}) {
    std::ranges::copy_if(*some, std::back_inserter(rows), [](const Row& row) {
      return std::ranges::none_of(
          std::array{"half", "short", "char", "clustered", "rotate", "float4", "first", "non_uniform",
                     "intel_sub_group_broadcast", "barrier", "shuffle_up", "shuffle_down"},
          [&](const char* word) { return row.text.find(word) != std::string::npos; });
    });
  }
  return rows;
}

// The same source, where Intel's driver is there: device_if_there() takes no other driver on a processor of Intel's.
TEST(OpenClCSubgroupsOfIntel, HaveTheSameValues) { expect_rows(common_rows(), {{64, 1, 1}, 16}, "opencl:intel"); }

/// A kernel with `group` on the cpu, and what a reference leaves.
void expect_kernel(const std::string& source, const Shape& shape, const Reference& reference) {
  Device device = device_of("cpu");
  const Values in = input(shape.items() * groups_run);
  Values expected(in.size(), -7);
  const Values out = run_on(device, plain_of(source, shape), in, expected);
  reference(in, expected, 0);
  EXPECT_EQ(out, expected);
}

// Intel's shuffles of two values: the second takes over where the first ends.
TEST(OpenClCSubgroups, ShuffleAcrossTwoValues) {
  const Shape shape{{32, 1, 1}, 16};
  expect_kernel(
      "kernel void f(global const float* in, global float* out, uint n) {\n"
      "  uint i = get_global_id(0); float x = in[i];\n"
      "  out[i] = intel_sub_group_shuffle_down(x, x * 2, 5) * 1000 + intel_sub_group_shuffle_up(x * 3, x, 4); }",
      shape, [&](const Values& in, Values& out, std::uint32_t) {
        for_each_item(shape, in, [&](std::size_t at, const Lane& l) {
          const float down = l.me + 5 < 16 ? l.x[l.me + 5] : l.x[l.me + 5 - 16] * 2;
          const float up = l.me >= 4 ? l.x[l.me - 4] : l.x[l.me + 12] * 3;
          out[at] = down * 1000 + up;
        });
      });
}

TEST(OpenClCSubgroups, ReadAndWriteBlocks) {
  const Shape shape{{32, 1, 1}, 16};
  expect_kernel(
      "kernel void f(global const float* in, global float* out, uint n) {\n"
      "  uint first = get_group_id(0) * 32; if (get_sub_group_id() == 1) return;\n"
      "  uint2 v = intel_sub_group_block_read2((global const uint*)in + first);\n"
      "  intel_sub_group_block_write2((global uint*)out + first, (uint2)(v.y, as_uint(as_float(v.x) + 1))); }",
      shape, [](const Values& in, Values& out, std::uint32_t) {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = i % 32 < 16 ? in[i + 16] : in[i - 16] + 1;
      });
}

// A sum in two steps, as reductions of whole groups are written for GPUs: across the barrier, one subgroup works alone.
TEST(OpenClCSubgroups, TheFirstSubgroupFinishesASum) {
  const Shape shape{{256, 1, 1}, 16};
  expect_kernel(
      "kernel void f(global const float* in, global float* out, uint n) {\n"
      "  local float sums[16]; float x = sub_group_reduce_add(in[get_global_id(0)]);\n"
      "  if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = x;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  if (get_sub_group_id() == 0) { x = sub_group_reduce_add(sums[get_sub_group_local_id()]); sums[0] = x; }\n"
      "  barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = sums[0] + get_local_id(0); }",
      shape, [](const Values& in, Values& out, std::uint32_t) {
        for (std::size_t i = 0; i < in.size(); ++i) {
          out[i] = static_cast<float>(i % 256);
          for (std::size_t k = 0; k < 256; ++k) out[i] += in[i / 256 * 256 + k];
        }
      });
}

// As kernels for GPUs are written that take a line in x for a subgroup, and its place in y for the subgroup's number.
TEST(OpenClCSubgroups, AreLinesThatGoDifferentWays) {
  const Shape shape{{64, 4, 1}};
  expect_kernel(
      "kernel void f(global const float* in, global float* out, uint n) {\n"
      "  const uint l = get_local_linear_id(), at = get_group_id(0) * 256 + l; float sum = 0;\n"
      "  for (uint k = get_local_id(1); k < 7; k += 4) sum += sub_group_broadcast(in[at] * k, k);\n"
      "  out[at] = sum + 1000 * get_sub_group_local_id(); }",
      shape, [](const Values& in, Values& out, std::uint32_t) {
        for (std::size_t at = 0; at < in.size(); ++at) {
          const std::size_t line = at % 256 / 64;
          out[at] = static_cast<float>(1000 * (at % 64));
          for (std::size_t k = line; k < 7; k += 4) out[at] += in[at / 64 * 64 + k] * static_cast<float>(k);
        }
      });
}

// Each subgroup goes round as often as it has to, with the group's barriers before and behind.
TEST(OpenClCSubgroups, GoDifferentWays) {
  const Shape shape{{48, 1, 1}, 8};
  expect_kernel(
      "kernel void f(global const float* in, global float* out, uint n) {\n"
      "  local float t[48]; uint l = get_local_id(0), id = get_sub_group_id(); float x = in[get_global_id(0)], y = 0;\n"
      "  t[47 - l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[l];\n"
      "  for (uint k = 0; k <= id; ++k) { y += sub_group_shuffle(x, k); x = sub_group_shuffle_xor(x, 1) + k; }\n"
      "  for (int r = 0; r < 2; ++r) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = y; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "    if (id % 2) y = sub_group_broadcast(t[(l + 9) % 48], 2); }\n"
      "  out[get_global_id(0)] = x * 1000 + y; }",
      shape, [](const Values& in, Values& out, std::uint32_t) {
        for (std::size_t first = 0; first < in.size(); first += 48) {
          std::array<float, 48> x{}, y{}, t{};
          for (std::size_t l = 0; l < 48; ++l) x[l] = in[first + l] + in[first + 47 - l];
          for (std::size_t id = 0; id < 6; ++id) {
            for (std::size_t k = 0; k <= id; ++k) {
              const auto before = x;
              for (std::size_t l = id * 8; l < id * 8 + 8; ++l) {
                y[l] += before[id * 8 + k];
                x[l] = before[l ^ 1] + static_cast<float>(k);
              }
            }
          }
          for (int r = 0; r < 2; ++r) {
            t = y;
            for (std::size_t l = 0; l < 48; ++l)
              if (l / 8 % 2 == 1) y[l] = t[(l / 8 * 8 + 2 + 9) % 48];
          }
          for (std::size_t l = 0; l < 48; ++l) out[first + l] = x[l] * 1000 + y[l];
        }
      });
}

// A private array and values of items live across the functions, and across the group's barriers.
TEST(OpenClCSubgroups, ItemsKeepTheirValues) {
  const Shape shape{{40, 1, 1}, 16};
  expect_kernel(
      "kernel void f(global const float* in, global float* out, uint n) {\n"
      "  float a[4]; uint l = get_local_id(0); for (int k = 0; k < 4; ++k) a[k] = in[get_global_id(0)] + k * l;\n"
      "  float s = sub_group_reduce_max(a[l % 4]); barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  a[(l + 1) % 4] = sub_group_scan_inclusive_add(a[2]) + s; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  out[get_global_id(0)] = a[0] + 2 * a[1] + 4 * a[2] + 8 * a[3]; }",
      shape, [&](const Values& in, Values& out, std::uint32_t) {
        for_each_item(shape, in, [&](std::size_t at, const Lane& lane) {
          const auto a = [&](std::size_t me, std::size_t k) {
            return lane.x[me] + static_cast<float>(k * (lane.id * 16 + me));
          };
          float most = -1e9F, sum = 0;
          for (std::size_t i = 0; i < lane.x.size(); ++i) most = std::max(most, a(i, (lane.id * 16 + i) % 4));
          for (std::size_t i = 0; i <= lane.me; ++i) sum += a(i, 2);
          out[at] = 0;
          for (std::size_t k = 0; k < 4; ++k)
            out[at] +=
                static_cast<float>(1U << k) * ((lane.id * 16 + lane.me + 1) % 4 == k ? sum + most : a(lane.me, k));
        });
      });
}

TEST(OpenClCSubgroups, InEveryLanguage) {
  for (const std::string language : {"CL1.2", "CL2.0", "CL3.0"}) {
    Device device = device_of("cpu");
    const std::string_view signatures[] = {"f(out: write i64[]) group 16"};
    const std::string source =
        "kernel void f(global long* out) { long x = intel_sub_group_shuffle(sub_group_shuffle((int)get_local_id(0), "
        "5), "
        "3); out[get_local_id(0)] = sub_group_reduce_add(x); }";
    LoadOptions options;
    options.language = language;
    Program program = must(device.load(must(ProgramPack::source("opencl_c", source, signatures)), options));
    Queue queue = must(device.create_queue());
    Buffer out = must(device.allocate_for(std::vector<std::int64_t>(16)));
    must(queue.submit(CommandList{}.exec(must(program.kernel("f")), Grid{1, 1, 1}, out)));
    EXPECT_EQ(must(read<std::int64_t>(queue, out))[7], 80) << language;
  }
}

}  // namespace
}  // namespace pintle::test
