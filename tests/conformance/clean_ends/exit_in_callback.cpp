// A callback ends the process, on whatever thread callbacks run.
#include <optional>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

namespace {

std::optional<Device> device;
std::optional<Queue> queue;
std::optional<Buffer> buffer;

}  // namespace

int main(int count, char** arguments) {
  device = value(open(clean_end::device_id(count, arguments)));
  queue = value(device->create_queue());
  buffer = value(device->allocate(DType::u32, {1000}));
  const Point done = value(queue->submit(CommandList{}.fill(*buffer, 1u)));
  const Device polled = *device;  // the statics are the callback's, once it may run
  value(done.then([](const Result<void>&) { std::exit(0); }));
  for (;;) static_cast<void>(polled.poll());  // which a device may refuse once the process is ending
}
