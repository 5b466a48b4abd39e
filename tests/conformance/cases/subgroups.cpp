// Rows about how a kernel's code works: what a device lists for subgroups and immediates, it does.
#include <algorithm>
#include <array>
#include <map>

#include "conformance/texel_kernels.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

/// The last one is for hardware: the simulators of CUDA have no functions of subgroups.
constexpr std::array<Source, 3> together_sources{{{"opencl_c", R"(
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void together(global uint* out) { out[get_global_id(0)] = sub_group_reduce_add(1u); })"},
                                                  {"glsl", R"(#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() { result[gl_GlobalInvocationID.x] = subgroupAdd(1u); })"},
                                                  {"cuda_c", R"(
extern "C" __global__ void together(unsigned* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = __popc(__ballot_sync(0xffffffffu, 1));
})"}}};

DEVICE_TEST(Device, SubgroupLimitsAgreeWithTheRow) {
  const Limits& limits = test.info().limits;
  CHECK(limits.min_subgroup >= 1 && limits.min_subgroup <= limits.max_subgroup);
  if (test.has(Feature::subgroups)) CHECK(limits.max_subgroup > 1);
  if (test.has(Feature::subgroup_matrices)) CHECK(test.has(Feature::subgroups));
}

// Each item hears of as many as its subgroup has: as many items say so.
DEVICE_TEST(Launch, SubgroupsExchangeValuesWhereTheDeviceSaysSo) {
  test.require(Feature::subgroups);
  const bool is_simulated = test.info().kind == DeviceKind::software;
  const auto sources = std::span(together_sources).first(is_simulated ? 2 : 3);
  const Kernel together = kernel_of(test, sources, "together(out: write u32[]) group 64");
  const Buffer out = test.buffer(Words(128));
  Queue queue = test.queue();
  need(queue.submit(CommandList{}.exec(together, Grid{2}, out)));
  std::map<std::uint32_t, std::uint32_t> items;
  for (const std::uint32_t size : test.read<std::uint32_t>(queue, out)) ++items[size];
  for (const auto& [size, count] : items) {
    CHECK(size > 1 && size <= test.info().limits.max_subgroup);
    CHECK_EQ(count % std::max(size, 1u), 0u);
  }
}

constexpr std::string_view told_signature = "told(out: write u32[], value: u32)";
constexpr std::array<Source, 3> told_sources{{{"c", R"(
void told(const pintle_group* group, void* const* arguments) {
  ((uint32_t*)arguments[0])[group->id[0]] = *(const uint32_t*)arguments[1];
})"},
                                              {"opencl_c", R"(
kernel void told(global uint* out, uint value) { out[get_group_id(0)] = value; })"},
                                              {"glsl", R"(#version 450
layout(push_constant) uniform Told { uint value; };
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() { result[gl_WorkGroupID.x] = value; })"}}};

// Launches that are in flight together each have their own.
DEVICE_TEST(Launch, ImmediatesComeWithTheLaunchWhereTheDeviceSaysSo) {
  const Capability& row = test.info().capability(Feature::immediates);
  if (row.support != Support::native) test.not_applicable("immediates are not native: " + row.detail);
  if (!compiles(test.info(), told_sources)) test.not_applicable("the device compiles no source");
  test.require_bytes();
  const Program program = need(test.device().load(need(pack_of(told_sources, std::array{told_signature}, "told"))));
  const Kernel told = need(program.kernel("told"));
  const Buffer first = test.buffer(Words(4)), second = test.buffer(Words(4));
  Queue queue = test.queue();
  need(queue.submit(CommandList{}.exec(told, Grid{4}, first, 7u).exec(told, Grid{4}, second, 9u)));
  CHECK_EQ(test.read<std::uint32_t>(queue, first), Words(4, 7));
  CHECK_EQ(test.read<std::uint32_t>(queue, second), Words(4, 9));
}

}  // namespace
}  // namespace pintle::conformance
