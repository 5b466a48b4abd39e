// Handles go in the wrong order, and with work in flight: the last one drains, nothing blocks before.
#include <atomic>
#include <memory>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

int main(int count, char** arguments) {
  std::atomic<int> ran{0};
  auto device = std::make_unique<Device>(value(open(clean_end::device_id(count, arguments))));
  auto buffer = std::make_unique<Buffer>(value(device->allocate(DType::u32, {1 << 16})));
  auto queue = std::make_unique<Queue>(value(device->create_queue()));
  Point last;
  for (int i = 0; i < 20; ++i) last = value(queue->submit(CommandList{}.fill(*buffer, 1u).call([&ran] { ++ran; })));
  device.reset();
  queue.reset();
  buffer.reset();  // the last owner: waits for what the device still has
  clean_end::expect(ran.load() == 20);
  value(last.wait());
  return 0;
}
