// Each item of each group runs once, whatever the group's sides are: kernels of several kinds in groups of many shapes.
#include <gtest/gtest.h>

#include <array>

#include "cases.h"

namespace pintle::test {
namespace {

using Sides = std::array<std::uint32_t, 3>;

constexpr Sides counts{5, 3, 2};      // groups
constexpr std::uint32_t items = 960;  // of the largest groups, 32 items each
constexpr std::uint32_t n = 4;

/// An item of the launch, by its places.
struct Item {
  Sides group, at;

  [[nodiscard]] std::uint32_t number() const {
    return (at[2] * group[1] * counts[1] + at[1]) * group[0] * counts[0] + at[0];
  }
  [[nodiscard]] std::uint32_t local(std::size_t d) const { return at[d] % group[d]; }
  /// As far from the group's end as this one from its beginning.
  [[nodiscard]] Item opposite() const {
    Item other{*this};
    for (std::size_t d = 0; d < 3; ++d) other.at[d] += group[d] - 1 - 2 * local(d);
    return other;
  }
};

struct Row {
  std::string name, body;  ///< `i` is the item's number, and `x` its place.
  std::function<float(const Values& in, const Item& item)> reference;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"every_item", "out[i] += in[i] + i;",
       [](const Values& in, const Item& item) { return in[item.number()] + static_cast<float>(item.number()); }},
      {"items_of_x", "if (x < n) out[i] += in[i] + x;",
       [](const Values& in, const Item& item) {
         return item.at[0] < n ? in[item.number()] + static_cast<float>(item.at[0]) : 0;
       }},
      {"items_of_y_and_z", "if (get_global_id(1) >= n || get_global_id(2) == 1) return; out[i] += in[i] + 1;",
       [](const Values& in, const Item& item) {
         return item.at[1] < n && item.at[2] != 1 ? in[item.number()] + 1 : 0;
       }},
      {"a_loop", "for (uint k = 0; k < n; ++k) out[i] += in[i + k] * k;",
       [](const Values& in, const Item& item) {
         float sum = 0;
         for (std::uint32_t k = 0; k < n; ++k) sum += in[item.number() + k] * static_cast<float>(k);
         return sum;
       }},
      {"a_loop_from_its_place", "for (uint k = get_local_id(0); k < n; k += get_local_size(0)) out[i] += k + 1;",
       [](const Values&, const Item& item) {
         float sum = 0;
         for (std::uint32_t k = item.local(0); k < n; k += item.group[0]) sum += static_cast<float>(k + 1);
         return sum;
       }},
      {"a_barrier",
       "const uint l = get_local_linear_id(), last = get_local_size(0) * get_local_size(1) * get_local_size(2) - 1;\n"
       "  local float kept[32]; kept[l] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] += kept[last - l];",
       [](const Values& in, const Item& item) { return in[item.opposite().number()]; }}};
  return all;
}

std::string source() {
  std::string text;
  for (const Row& row : rows()) {
    text += "kernel void " + row.name +
            "(global const float* in, global float* out, uint n) {\n"
            "  const size_t x = get_global_id(0);\n"
            "  const size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + x;\n"
            "  " +
            row.body + "\n}\n";
  }
  return text;
}

Values wanted_of(const Row& row, const Values& in, const Sides& group) {
  Values all(items);
  for (std::uint32_t z = 0; z < group[2] * counts[2]; ++z)
    for (std::uint32_t y = 0; y < group[1] * counts[1]; ++y)
      for (std::uint32_t x = 0; x < group[0] * counts[0]; ++x) {
        const Item item{group, {x, y, z}};
        all[item.number()] = row.reference(in, item);
      }
  return all;
}

Program program_on(Device& device, const Sides& group) {
  std::vector<std::string> signatures;
  for (const Row& row : rows())
    signatures.push_back(row.name + "(in: read f32[], out: read_write f32[], n: u32) group " +
                         std::to_string(group[0]) + "," + std::to_string(group[1]) + "," + std::to_string(group[2]));
  return program_of(device, source(), signatures);
}

class Shapes : public testing::TestWithParam<Sides> {};

TEST_P(Shapes, RunEachItemOnce) {
  const Values in = input(items + n), zeros(items);
  for (const char* const id : {"cpu", "cpu?inline", "opencl:pocl"}) {
    auto device = device_if_there(id);
    if (!device) continue;
    Queue queue = must(device->create_queue());
    const Program program = program_on(*device, GetParam());
    Buffer from = must(device->allocate_for(in)), to = must(device->allocate_for(zeros));
    must(queue.submit(CommandList{}.upload(from, in)));
    for (const Row& row : rows()) {
      must(queue.submit(CommandList{}.upload(to, zeros).exec(must(program.kernel(row.name)),
                                                             Grid{counts[0], counts[1], counts[2]}, from, to, n)));
      EXPECT_EQ(must(read<float>(queue, to)), wanted_of(row, in, GetParam())) << row.name << " on " << id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OpenclC, Shapes,
                         testing::Values(Sides{1, 1, 1}, Sides{2, 1, 1}, Sides{3, 1, 1}, Sides{32, 1, 1},
                                         Sides{1, 4, 1}, Sides{1, 1, 3}, Sides{1, 5, 2}, Sides{1, 32, 1},
                                         Sides{1, 1, 32}, Sides{2, 1, 2}, Sides{9, 1, 1}, Sides{8, 2, 1},
                                         Sides{5, 3, 2}),
                         [](const auto& info) {
                           return "Of" + std::to_string(info.param[0]) + "x" + std::to_string(info.param[1]) + "x" +
                                  std::to_string(info.param[2]);
                         });

}  // namespace
}  // namespace pintle::test
