// Intel's blocks of subgroups: each width of each type, from and to the memories.
#include <gtest/gtest.h>

#include <tuple>

#include "cases.h"

namespace pintle::test {
namespace {

/// One of Intel's blocks: what it is called behind `block_read`, and what it moves.
struct Block {
  std::string suffix, type;
  std::size_t bytes, width;
};

void PrintTo(const Block& block, std::ostream* out) { *out << block.type << block.width << block.suffix; }

std::vector<Block> blocks() {
  std::vector<Block> all;
  for (const std::size_t width : {1U, 2U, 4U, 8U})
    for (const auto& [suffix, type, bytes] : std::initializer_list<std::tuple<const char*, const char*, std::size_t>>{
             {"", "uint", 4}, {"_ui", "uint", 4}, {"_us", "ushort", 2}})
      all.push_back({suffix, type, bytes, width});
  return all;
}

class OpenClCBlocks : public testing::TestWithParam<Block> {};

// Each item gets the elements that are a subgroup apart; from local memory they go back as the caller's bytes.
TEST_P(OpenClCBlocks, LieSideBySide) {
  const auto& [suffix, type, bytes, width] = GetParam();
  const std::string n = width == 1 ? "" : std::to_string(width), call = "intel_sub_group_block_";
  const std::string source =
      "kernel void f(global const float* in, global float* out, uint n) {\n  local " + type +
      " shared[16 * 8];\n  const uint me = get_sub_group_local_id(), first = get_group_id(0) * " +
      std::to_string(16 * width) + ";\n  global const " + type + "* from = (global const " + type +
      "*)in + first;\n  " + type + n + " v = " + call + "read" + suffix + n + "(from);\n  " + call + "write" + suffix +
      n + "(shared, v);\n  sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n  v = " + call + "read" + suffix + n +
      "(shared);\n  " +
      (width == 1 ? std::string("if (v != from[me]) v = 0;")
                  : "for (int k = 0; k < " + n + "; ++k) if (v[k] != from[me + 16 * k]) v[k] = 0;") +
      "\n  " + call + "write" + suffix + n + "((global " + type + "*)out + first, v);\n}\n";
  Device device = device_of("cpu");
  const Values in = input(16 * width * bytes * 2 / 4);
  EXPECT_EQ(run_on(device, {source, "f", "16 subgroup 16", {2, 1, 1}, 0}, in, Values(in.size(), -7)), in);
}

INSTANTIATE_TEST_SUITE_P(OpenclC, OpenClCBlocks, testing::ValuesIn(blocks()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pintle::test
