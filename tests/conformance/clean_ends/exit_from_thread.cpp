// Another thread ends the process while this one waits.
#include <chrono>
#include <optional>
#include <thread>

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
  const Signal never = value(Signal::create(0, "never"));
  value(queue->submit(CommandList{}.fill(*buffer, 1u)));
  std::thread([] { std::exit(0); }).detach();
  static_cast<void>(never.wait(1, Timeout::infinite()));
  return 1;
}
