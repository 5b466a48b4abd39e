// Another thread lets the last of a device go while this one ends the process.
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

int main(int count, char** arguments) {
  std::optional<Device> device = value(open(clean_end::device_id(count, arguments)));
  std::optional<Queue> queue = value(device->create_queue());
  std::optional<Buffer> buffer = value(device->allocate(DType::u32, {1000}));
  value(queue->submit(CommandList{}.fill(*buffer, 1u)));
  static std::atomic<bool> is_ready{false};
  std::thread([own = std::move(device), its = std::move(queue), memory = std::move(buffer)]() mutable {
    is_ready.store(true);
    memory.reset();
    its.reset();
    own.reset();
  }).detach();
  device.reset();
  queue.reset();
  buffer.reset();
  while (!is_ready.load()) std::this_thread::yield();
  return 0;
}
