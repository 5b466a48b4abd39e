// The device is opened and used before main begins.
#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

namespace {

Device device = value(open("cpu"));
Queue queue = value(device.create_queue());
Buffer buffer = value(device.allocate(DType::u32, {1000}));
Point point = value(queue.submit(CommandList{}.fill(buffer, 1u)));

}  // namespace

int main() {
  value(point.wait());
  return 0;
}
