// Kernels with subgroups that the cpu does not run, by the function's name or the size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rig.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

/// The kernel `f`, or why there is none.
Result<Kernel> loaded(const std::string& source, std::string_view entry) {
  Device device = device_of("cpu");
  const std::string_view signatures[] = {entry};
  PINTLE_ASSIGN(program, device.load(must(ProgramPack::source("opencl_c", source, signatures))));
  return program.kernel("f");
}

std::string refusal(const std::string& source, std::string_view entry) {
  const auto kernel = loaded(source, entry);
  return kernel ? "none" : std::string(kernel.error().text());
}

TEST(OpenClCSubgroupRefusals, ItemsThatGoDifferentWaysByTheFunctionsName) {
  EXPECT_THAT(refusal("kernel void f(global int* x) { if (get_local_id(0) % 2) x[get_local_id(0)] = "
                      "sub_group_reduce_add(x[get_local_id(0)]); }",
                      "f(x: read_write i32[]) group 64 subgroup 16"),
              HasSubstr("sub_group_reduce_add where items of one subgroup go different ways"));
  EXPECT_EQ(refusal("kernel void f(global int* x) { if (get_local_id(0) / 16 % 2) x[get_local_id(0)] = "
                    "sub_group_reduce_add(x[get_local_id(0)]); }",
                    "f(x: read_write i32[]) group 64 subgroup 16"),
            "none");
}

// A group that is one item deep has one place there, for each of its items.
TEST(OpenClCSubgroupRefusals, ItemsOfAFlatGroupTakeALoopOverItsPlacesTogether) {
  const std::string source =
      "kernel void f(global int* x, int n) { int sum = 0;\n"
      "  for (int k = get_local_id(1) + get_local_id(2); k < n; k += 4) sum += sub_group_broadcast(x[k], 0) + k;\n"
      "  x[n + get_global_id(0)] = sum; }";
  EXPECT_EQ(refusal(source, "f(x: read_write i32[], n: i32) group 24 subgroup 16"), "none");
  EXPECT_EQ(refusal(source, "f(x: read_write i32[], n: i32) group 64"), "none");
  EXPECT_THAT(refusal(source, "f(x: read_write i32[], n: i32) group 8,4"), HasSubstr("sub_group_broadcast"));
}

TEST(OpenClCSubgroupRefusals, SizesThatTheCpuLacks) {
  const std::string source =
      "kernel __attribute__((intel_reqd_sub_group_size(16))) void f(global int* x) { x[0] = 1; }";
  EXPECT_EQ(refusal(source, "f(x: read_write i32[]) group 64"), "none");
  EXPECT_EQ(refusal(source, "f(x: read_write i32[]) group 64 subgroup 16"), "none");
  EXPECT_THAT(refusal(source, "f(x: read_write i32[]) group 64 subgroup 32"),
              HasSubstr("subgroups of (16) items in the source, and of (32) in the signature"));
  EXPECT_THAT(refusal("kernel __attribute__((intel_reqd_sub_group_size(12))) void f(global int* x) { x[0] = 1; }",
                      "f(x: read_write i32[]) group 64"),
              HasSubstr("subgroups of (12) items"));
  EXPECT_THAT(refusal("kernel void f(global int* x) { x[0] = 1; }", "f(x: read_write i32[]) group 64 subgroup 256"),
              HasSubstr("subgroup size (256) is not from 1 to 128"));
}

// What the macros promise is there, and what they do not promise costs only the kernel that calls it.
TEST(OpenClCSubgroupRefusals, FunctionsForItemsThatPartCostOnlyTheirKernel) {
  Device device = device_of("cpu");
  const std::string_view signatures[] = {"f(out: write i64[]) group 1", "g(out: write i64[]) group 1"};
  const std::string source =
      "kernel void g(global long* out) { out[0] = sub_group_elect(); }\n"
      "#if defined(cl_khr_subgroups) && defined(cl_khr_subgroup_shuffle) && defined(cl_intel_subgroups) && \\\n"
      "    defined(cl_intel_required_subgroup_size) && !defined(cl_khr_subgroup_non_uniform_vote)\n"
      "kernel void f(global long* out) { out[0] = __LINE__; }\n"
      "#endif\n";
  Program program = must(device.load(must(ProgramPack::source("opencl_c", source, signatures))));
  const auto refused = program.kernel("g");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::build_failed);
  EXPECT_THAT(refused.error().message(), HasSubstr("sub_group_elect"));
  Queue queue = must(device.create_queue());
  Buffer out = must(device.allocate_for(std::vector<std::int64_t>(1)));
  must(queue.submit(CommandList{}.exec(must(program.kernel("f")), Grid{1, 1, 1}, out)));
  EXPECT_EQ(must(read<std::int64_t>(queue, out))[0], 4);
}

}  // namespace
}  // namespace pintle::test
