// y = a * x + y on any device.
#include <cstdio>

#include "pintle/pintle.h"

using namespace pintle;

constexpr auto code = R"(
void saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *(const float*)arguments[0];
  const float* x = arguments[1];
  float* y = arguments[2];
  const uint32_t n = *(const uint32_t*)arguments[3];
  const uint32_t first = group->id[0] * group->size[0];
  const uint32_t count = n - first < group->size[0] ? n - first : group->size[0];
  for (uint32_t i = first; i < first + count; ++i) y[i] = a * x[i] + y[i];
})";

int main() try {
  const std::vector<float> x(1000, 3), y(1000, 1), right(1000, 7);
  Device device = must(open("best"));
  Queue queue = must(device.queue());
  auto pack =
      must(ProgramPack::source("c", code, {"saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 256"}));
  Kernel saxpy = must(device.load(pack, "saxpy"));
  Buffer dx = must(device.allocate_for(x)), dy = must(device.allocate_for(y));
  must(queue.submit(
      CommandList{}.upload(dx, x).upload(dy, y).exec(saxpy, Grid::cover(x.size()), 2.0f, dx, dy, uint32_t(x.size()))));
  const std::vector<float> result = must(read<float>(queue, dy));
  std::puts(result == right ? "right" : "wrong");
  return result == right ? 0 : 1;
} catch (const Exception& error) {
  return std::puts(error.what()), 1;
}
