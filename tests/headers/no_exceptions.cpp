// A program without exceptions and without run-time types: it looks at each Result.
#include <cstdio>

#include "pintle/pintle.h"

using namespace pintle;

namespace {

Result<float> sum_on(const char* id) {
  PINTLE_ASSIGN(device, open(id));
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(buffer, device.allocate(DType::f32, {4}));
  PINTLE_TRY(queue.submit(CommandList{}.fill(buffer, 2.0f)));
  PINTLE_ASSIGN(values, read<float>(queue, buffer));
  return values[0] + values[1] + values[2] + values[3];
}

}  // namespace

int main() {
  const auto nowhere = sum_on("no_such_device");
  const auto sum = sum_on("cpu");
  if (!sum) std::puts(sum.error().text().c_str());
  return !nowhere && sum && *sum == 8 ? 0 : 1;
}
