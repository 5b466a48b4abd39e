// The functions of the language that the cpu does not have: each is refused by its name, and costs its kernel alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rig.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

struct Refused {
  std::string name;
  std::string parameter;  ///< Of the kernel, in front of `out`.
  std::string call;
};

void PrintTo(const Refused& one, std::ostream* out) { *out << one.name; }

std::vector<Refused> all_refused() {
  const std::string image = "read_only image2d_t x", to = "write_only image2d_t x", pipe = "read_only pipe int x",
                    in = "write_only pipe int x";
  return {{"read_imagef", image, "out[0] = read_imagef(x, (int2)(0)).x;"},
          {"read_imagei", image, "out[0] = read_imagei(x, (int2)(0)).x;"},
          {"read_imageui", image, "out[0] = read_imageui(x, (int2)(0)).x;"},
          {"write_imagef", to, "write_imagef(x, (int2)(0), (float4)(0));"},
          {"write_imagei", to, "write_imagei(x, (int2)(0), (int4)(0));"},
          {"write_imageui", to, "write_imageui(x, (int2)(0), (uint4)(0));"},
          {"get_image_width", image, "out[0] = get_image_width(x);"},
          {"get_image_height", image, "out[0] = get_image_height(x);"},
          {"get_image_dim", image, "out[0] = get_image_dim(x).x;"},
          {"get_image_channel_order", image, "out[0] = get_image_channel_order(x);"},
          {"get_image_channel_data_type", image, "out[0] = get_image_channel_data_type(x);"},
          {"get_image_depth", "read_only image3d_t x", "out[0] = get_image_depth(x);"},
          {"get_image_array_size", "read_only image2d_array_t x", "out[0] = get_image_array_size(x);"},
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
          {"retain_event", "int x", "clk_event_t e; retain_event(e);"}};
}

class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameTheFunction) {
  const Refused& one = GetParam();
  Device device = device_of("cpu");
  const bool is_number = one.parameter == "int x";
  const std::string source = "kernel void f(" + one.parameter + ", global int* out) { " + one.call +
                             " }\nkernel void g(global int* out) { out[0] = 3; }";
  const std::string signature = std::string("f(x: ") + (is_number ? "i32" : "u64") + ", out: write i32[]) group 1";
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
