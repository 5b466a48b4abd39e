// The functions of the language that the cpu does not have: each is refused by its name, and costs its kernel alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rig.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

struct Refused {
  std::string name;
  std::string parameter;  ///< The kernel's, in front of `out`.
  std::string call;
};

void PrintTo(const Refused& one, std::ostream* out) { *out << one.name; }

std::vector<Refused> all_refused() {
  const std::string rows = "read_only image2d_array_t x", line = "read_only image1d_t x", pipe = "read_only pipe int x",
                    in = "write_only pipe int x";
  return {{"read_imagef", rows, "out[0] = read_imagef(x, (int4)(0)).x;"},
          {"read_imagei", line, "out[0] = read_imagei(x, 0).x;"},
          {"read_imageui", rows, "out[0] = read_imageui(x, (int4)(0)).x;"},
          {"write_imagef", "write_only image1d_t x", "write_imagef(x, 0, (float4)(0));"},
          {"write_imagei", "write_only image2d_array_t x", "write_imagei(x, (int4)(0), (int4)(0));"},
          {"write_imageui", "write_only image1d_array_t x", "write_imageui(x, (int2)(0), (uint4)(0));"},
          {"get_image_width", line, "out[0] = get_image_width(x);"},
          {"get_image_height", rows, "out[0] = get_image_height(x);"},
          {"get_image_dim", rows, "out[0] = get_image_dim(x).x;"},
          {"get_image_channel_order", rows, "out[0] = get_image_channel_order(x);"},
          {"get_image_channel_data_type", line, "out[0] = get_image_channel_data_type(x);"},
          {"get_image_array_size", rows, "out[0] = get_image_array_size(x);"},
          {"read_pipe", pipe, "int v; out[0] = read_pipe(x, &v);"},
          {"write_pipe", in, "int v = 1; out[0] = write_pipe(x, &v);"},
          {"reserve_read_pipe", pipe, "out[0] = is_valid_reserve_id(reserve_read_pipe(x, 1));"},
          {"commit_write_pipe", in, "reserve_id_t r; commit_write_pipe(x, r);"},
          {"get_pipe_num_packets", pipe, "out[0] = get_pipe_num_packets(x);"},
          {"get_pipe_max_packets", pipe, "out[0] = get_pipe_max_packets(x);"},
          {"get_default_queue", "int x", "queue_t q = get_default_queue(); out[0] = x;"},
          {"enqueue_kernel", "queue_t x", "ndrange_t r; enqueue_kernel(x, 0, r, ^{ out[0] = 1; });"},
          {"enqueue_marker", "queue_t x", "clk_event_t e; out[0] = enqueue_marker(x, 0, 0, &e);"},
          {"ndrange_1D", "int x", "ndrange_t r = ndrange_1D(x); out[0] = 1;"},
          {"create_user_event", "int x", "out[0] = is_valid_event(create_user_event());"},
          {"ndrange_2D", "int x", "size_t s[2] = {x, 1}; ndrange_t r = ndrange_2D(s); out[0] = 1;"},
          {"ndrange_3D", "int x", "size_t s[3] = {x, 1, 1}; ndrange_t r = ndrange_3D(s); out[0] = 1;"},
          {"is_valid_event", "int x", "clk_event_t e; out[0] = is_valid_event(e);"},
          {"is_valid_reserve_id", "int x", "reserve_id_t r; out[0] = is_valid_reserve_id(r);"},
          {"retain_event", "int x", "clk_event_t e; retain_event(e);"},
          {"release_event", "int x", "clk_event_t e; release_event(e);"},
          {"set_user_event_status", "int x", "clk_event_t e; set_user_event_status(e, x);"},
          {"capture_event_profiling_info", "global ulong* x",
           "clk_event_t e; capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, x);"},
          {"reserve_write_pipe", in, "reserve_id_t r = reserve_write_pipe(x, 1); out[0] = 1;"},
          {"commit_read_pipe", pipe, "reserve_id_t r; commit_read_pipe(x, r);"},
          {"work_group_reserve_read_pipe", pipe, "reserve_id_t r = work_group_reserve_read_pipe(x, 1); out[0] = 1;"},
          {"work_group_reserve_write_pipe", in, "reserve_id_t r = work_group_reserve_write_pipe(x, 1); out[0] = 1;"},
          {"work_group_commit_read_pipe", pipe, "reserve_id_t r; work_group_commit_read_pipe(x, r);"},
          {"work_group_commit_write_pipe", in, "reserve_id_t r; work_group_commit_write_pipe(x, r);"},
          {"get_kernel_work_group_size", "int x", "out[0] = get_kernel_work_group_size(^{ out[0] = 1; });"},
          {"get_kernel_preferred_work_group_size_multiple", "int x",
           "out[0] = get_kernel_preferred_work_group_size_multiple(^{ out[0] = 1; });"}};
}

class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameTheFunction) {
  const Refused& one = GetParam();
  Device device = device_of("cpu");
  const std::string type = one.parameter == "int x"             ? "i32"
                           : one.parameter == "global ulong* x" ? "read_write u64[]"
                                                                : "u64";
  const std::string source = "kernel void f(" + one.parameter + ", global int* out) { " + one.call +
                             " }\nkernel void g(global int* out) { out[0] = 3; }";
  const std::string signature = "f(x: " + type + ", out: write i32[]) group 1";
  const std::string_view signatures[] = {signature, "g(out: write i32[]) group 1"};
  const auto program = device.load(must(ProgramPack::source("opencl_c", source, signatures)));
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_TRUE(program->kernel("g"));
  const auto refused = program->kernel("f");
  ASSERT_FALSE(refused);
  EXPECT_THAT(std::string(refused.error().text()), HasSubstr(one.name));
}

INSTANTIATE_TEST_SUITE_P(OpenclC, Refusals, testing::ValuesIn(all_refused()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pintle::test
