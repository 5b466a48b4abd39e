// The functions of whole groups, for each type and over shapes of groups; where an item is; copies by a group.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "cases.h"

namespace pintle::test {
namespace {

struct Shape {
  std::array<std::size_t, 3> group;

  [[nodiscard]] std::size_t items() const { return group[0] * group[1] * group[2]; }
  [[nodiscard]] std::string text() const {
    return std::to_string(group[0]) + "," + std::to_string(group[1]) + "," + std::to_string(group[2]);
  }
};

const std::vector<Shape> shapes{{{64, 1, 1}}, {{5, 3, 2}}, {{1, 1, 1}}, {{130, 1, 1}}};

/// A type of values, and its ends, which are what a scan begins with.
struct Type {
  std::string name;
  float least, most;
};

const std::vector<Type> types{{"int", -2147483648.F, 2147483648.F}, {"uint", 0, 4294967296.F},
                              {"long", -0x1p63F, 0x1p63F},          {"ulong", 0, 0x1p64F},
                              {"float", -INFINITY, INFINITY},       {"double", -INFINITY, INFINITY},
                              {"half", -INFINITY, INFINITY}};

void PrintTo(const Type& type, std::ostream* out) { *out << type.name; }

/// What an item gets, from the values of its group and its place.
struct Row {
  std::string text;  ///< An expression of `x`, a T.
  std::function<float(const Type&, const Values& x, std::size_t me)> reference;
};

float sum_of(const Values& x, std::size_t count) {
  return std::accumulate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), 0.F);
}
float least_of(const Type& type, const Values& x, std::size_t count) {
  return std::accumulate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), type.most,
                         [](float a, float b) { return std::min(a, b); });
}
float most_of(const Type& type, const Values& x, std::size_t count) {
  return std::accumulate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), type.least,
                         [](float a, float b) { return std::max(a, b); });
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"work_group_reduce_add(x)", [](const Type&, const Values& x, std::size_t) { return sum_of(x, x.size()); }},
      {"work_group_reduce_min(x)",
       [](const Type& t, const Values& x, std::size_t) { return least_of(t, x, x.size()); }},
      {"work_group_reduce_max(x)", [](const Type& t, const Values& x, std::size_t) { return most_of(t, x, x.size()); }},
      {"work_group_scan_inclusive_add(x)",
       [](const Type&, const Values& x, std::size_t me) { return sum_of(x, me + 1); }},
      {"work_group_scan_inclusive_min(x)",
       [](const Type& t, const Values& x, std::size_t me) { return least_of(t, x, me + 1); }},
      {"work_group_scan_inclusive_max(x)",
       [](const Type& t, const Values& x, std::size_t me) { return most_of(t, x, me + 1); }},
      {"work_group_scan_exclusive_add(x)", [](const Type&, const Values& x, std::size_t me) { return sum_of(x, me); }},
      {"work_group_scan_exclusive_min(x)",
       [](const Type& t, const Values& x, std::size_t me) { return least_of(t, x, me); }},
      {"work_group_scan_exclusive_max(x)",
       [](const Type& t, const Values& x, std::size_t me) { return most_of(t, x, me); }},
      {"work_group_all(x < 9)",
       [](const Type&, const Values& x, std::size_t) {
         return std::ranges::all_of(x, [](float one) { return one < 9; }) ? 1.F : 0.F;
       }},
      {"work_group_any(x == 9)", [](const Type&, const Values& x, std::size_t) {
         return std::ranges::any_of(x, [](float one) { return one == 9; }) ? 1.F : 0.F;
       }}};
  return all;
}

constexpr std::size_t group_count = 3;

/// Whole numbers from 0 to 9, so that every sum is exact; a group of few items has no 9.
Values values_for(const Shape& shape) {
  Values all(group_count * shape.items());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>((i * 7 + 3) % (shape.items() < 8 ? 9 : 10));
  return all;
}

const std::string prelude =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";

std::string kernel_of(const Type& type, const Shape& shape) {
  std::string text = prelude +
                     "kernel void f(global const float* in, global float* out, uint n) {\n"
                     "  const size_t at = get_group_id(0) * " +
                     std::to_string(shape.items()) + " + get_local_linear_id();\n  const " + type.name + " x = (" +
                     type.name + ")in[at];\n";
  for (std::size_t k = 0; k < rows().size(); ++k)
    text += "  out[at * " + std::to_string(rows().size()) + " + " + std::to_string(k) + "] = (float)" + rows()[k].text +
            ";\n";
  return text + "}\n";
}

class GroupFunctions : public testing::TestWithParam<Type> {};

TEST_P(GroupFunctions, AreExact) {
  Device device = device_of("cpu");
  for (const Shape& shape : shapes) {
    const Values in = values_for(shape);
    const Values out = run_on(device, {kernel_of(GetParam(), shape), "f", shape.text(), {group_count, 1, 1}, 0}, in,
                              Values(in.size() * rows().size(), -7));
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t first = i / shape.items() * shape.items();
      const Values group(in.begin() + static_cast<std::ptrdiff_t>(first),
                         in.begin() + static_cast<std::ptrdiff_t>(first + shape.items()));
      for (std::size_t k = 0; k < rows().size(); ++k)
        EXPECT_EQ(out[i * rows().size() + k], rows()[k].reference(GetParam(), group, i - first))
            << rows()[k].text << " of item " << i - first << " of " << shape.text();
    }
  }
}

TEST_P(GroupFunctions, GiveEachItemOnesValue) {
  Device device = device_of("cpu");
  const std::string t = GetParam().name;
  const std::string source = prelude +
                             "kernel void f(global const float* in, global float* out, uint n) {\n"
                             "  const size_t at = get_group_id(0) * 30 + get_local_linear_id(); const " +
                             t + " x = (" + t +
                             ")in[at];\n"
                             "  out[3 * at] = (float)work_group_broadcast(x, 3);\n"
                             "  out[3 * at + 1] = (float)work_group_broadcast(x, 4, 2);\n"
                             "  out[3 * at + 2] = (float)work_group_broadcast(x, n, 1, get_group_id(0) % 2);\n}\n";
  Values in(90);
  std::iota(in.begin(), in.end(), 1.F);
  const Values out = run_on(device, {source, "f", "5,3,2", {group_count, 1, 1}, 2}, in, Values(270, -7));
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t first = i / 30 * 30;
    EXPECT_EQ(out[3 * i], in[first + 3]);
    EXPECT_EQ(out[3 * i + 1], in[first + 4 + 2 * 5]);
    EXPECT_EQ(out[3 * i + 2], in[first + 2 + 5 + i / 30 % 2 * 15]);
  }
}

INSTANTIATE_TEST_SUITE_P(OpenclC, GroupFunctions, testing::ValuesIn(types),
                         [](const auto& info) { return info.param.name; });

/// Every question of an item in three dimensions, and of a dimension that there is not.
TEST(OpenClCItems, KnowTheirPlaces) {
  const std::vector<std::string> questions{"get_global_id(d)",           "get_local_id(d)",     "get_group_id(d)",
                                           "get_global_size(d)",         "get_local_size(d)",   "get_num_groups(d)",
                                           "get_enqueued_local_size(d)", "get_global_offset(d)"};
  std::string source =
      "kernel void f(global const float* in, global float* out, uint n) {\n"
      "  global float* to = out + get_global_linear_id() * 35; to[0] = get_work_dim(); to[1] = get_global_linear_id(); "
      "to[2] = get_local_linear_id(); to += 3;\n  for (uint d = 0; d < n; ++d) {\n";
  for (const std::string& question : questions) source += "    *to++ = " + question + ";\n";
  Device device = device_of("cpu");
  constexpr std::array<std::size_t, 3> local{3, 2, 4}, groups{2, 3, 2}, size{6, 6, 8};
  const Values out = run_on(device, {source + "  }\n}\n", "f", "3,2,4", {2, 3, 2}, 4}, {0}, Values(6 * 6 * 8 * 35, -7));
  for (std::size_t i = 0; i < 6 * 6 * 8; ++i) {
    const std::array<std::size_t, 3> at{i % 6, i / 6 % 6, i / 36};
    Values wanted{3, static_cast<float>(i),
                  static_cast<float>((at[2] % local[2] * local[1] + at[1] % local[1]) * local[0] + at[0] % local[0])};
    for (std::size_t d = 0; d < 3; ++d)
      for (const std::size_t one :
           {at[d], at[d] % local[d], at[d] / local[d], size[d], local[d], groups[d], local[d], std::size_t{0}})
        wanted.push_back(static_cast<float>(one));
    for (const float one : {0.F, 0.F, 0.F, 1.F, 1.F, 1.F, 1.F, 0.F}) wanted.push_back(one);
    EXPECT_EQ(Values(out.begin() + static_cast<std::ptrdiff_t>(i * 35),
                     out.begin() + static_cast<std::ptrdiff_t>(i * 35 + 35)),
              wanted)
        << i;
  }
}

/// Both ways, with and without strides, of scalars and of vectors; a prefetch changes nothing.
TEST(OpenClCItems, CopyAsAGroup) {
  const std::string source = R"(
kernel void f(global const float* in, global float* out, uint n) {
  local float a[192];
  local float4 b[16];
  const size_t g = get_group_id(0);
  prefetch(in + g * 192, 192);
  event_t e = async_work_group_strided_copy(a, in + g * 192, 96, 2, 0);
  e = async_work_group_copy(b, (global const float4*)(in + g * 192), 16, e);
  wait_group_events(1, &e);
  e = async_work_group_strided_copy(out + g * 192, (local const float*)a, 64, 3, 0);
  event_t f = async_work_group_copy((global float4*)(out + g * 192 + 192 * 4), (local const float4*)b, n, 0);
  event_t all[2] = {e, f};
  wait_group_events(2, all);
})";
  const Values in = input(192 * 4);
  Values wanted(192 * 8, -7);
  for (std::size_t g = 0; g < 4; ++g) {
    for (std::size_t i = 0; i < 64; ++i) wanted[g * 192 + 3 * i] = in[g * 192 + 2 * i];
    for (std::size_t i = 0; i < 60; ++i) wanted[g * 192 + 192 * 4 + i] = in[g * 192 + i];
  }
  for (const std::string id : {"cpu", "opencl:pocl"}) {
    auto device = device_if_there(id);
    if (!device) continue;
    EXPECT_EQ(run_on(*device, {source, "f", "40", {4, 1, 1}, 15}, in, Values(192 * 8, -7)), wanted) << id;
  }
}

// A group that is one item deep has one place there, for each of its items.
TEST(OpenClCItems, OfAFlatGroupTakeALoopOverItsPlacesTogether) {
  const Case one = groups("flat", R"(float sum = 0;
  for (uint k = get_local_id(1) + get_local_id(2); k < 10; k += 4) sum += sub_group_broadcast(in[k], 0) + k;
  out[get_global_id(0)] = sum;)",
                          {});
  const Values in = input(one.in);
  Values wanted(one.out, -7);
  std::fill_n(wanted.begin(), 512, in[0] + in[4] + in[8] + 12);
  Device cpu = device_of("cpu");
  EXPECT_EQ(run_on(cpu, one.plain, in, Values(one.out, -7)), wanted);
}

}  // namespace
}  // namespace pintle::test
