// y = a * x + y on any device: `saxpy` on the best one, `saxpy opencl:pocl` on that one.
#include <cstdio>

#include "pintle/pintle.h"

using namespace pintle;

constexpr auto signature = "saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 256";

int main(int count, char** arguments) try {
  const auto in = [](auto format, auto code) { return must(ProgramPack::source(format, code, {signature})); };
  ProgramPack pack = in("c", R"(
void saxpy(const pintle_group* group, void* const* arguments) {
  const float* x = arguments[1];
  float* y = arguments[2];
  const uint32_t n = *(const uint32_t*)arguments[3], first = group->id[0] * 256;
  for (uint32_t i = first; i < n && i < first + 256; ++i) y[i] += *(const float*)arguments[0] * x[i];
})")
                         .with(in("opencl_c", R"(
kernel void saxpy(float a, global const float* x, global float* y, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
})"))
                         .with(in("glsl", R"(#version 450
layout(local_size_x = 256) in;
layout(push_constant) uniform Scalars { float a; uint n; };
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) y[i] += a * x[i];
})"));
  const std::vector<float> x(1000, 3), y(1000, 1), right(1000, 7);
  Device device = must(open(count > 1 ? arguments[1] : "best"));
  Queue queue = must(device.create_queue());
  Kernel saxpy = must(device.load(pack, "saxpy"));
  Buffer dx = must(device.allocate_for(x)), dy = must(device.allocate_for(y));
  must(queue.submit(CommandList{}.upload(dx, x).upload(dy, y).exec(saxpy, Grid::cover(1000), 2.0f, dx, dy, 1000u)));
  const std::vector<float> result = must(read<float>(queue, dy));
  return std::puts(result == right ? "right" : "wrong"), result == right ? 0 : 1;
} catch (const Exception& error) {
  return std::puts(error.what()), 1;
}
