// Everything has static lifetime and is destroyed after main, in an order that nobody chose.
#include <optional>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

namespace {

std::optional<Buffer> buffer;
std::optional<Signal> signal;
std::optional<Recording> recording;
std::optional<Device> device;
std::optional<Queue> queue;
std::optional<Point> point;

}  // namespace

int main(int count, char** arguments) {
  device = value(open(clean_end::device_id(count, arguments)));
  queue = value(device->create_queue());
  buffer = value(device->allocate(DType::u32, {1000}));
  signal = value(Signal::create());
  recording = value(device->record(CommandList{}.fill(*buffer, 2u)));
  point = value(queue->submit(CommandList{}.fill(*buffer, 1u), {.signal = {signal->at(1)}}));
  value(queue->replay(*recording));
  return 0;
}
