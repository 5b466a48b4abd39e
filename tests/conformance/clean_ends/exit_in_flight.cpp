// The process ends while work is running and more is waiting for a signal that never comes.
#include <atomic>
#include <optional>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

namespace {

std::optional<Device> device;
std::optional<Queue> running, held;
std::optional<Buffer> buffer;
std::atomic<int> work{0};

}  // namespace

int main(int count, char** arguments) {
  device = value(open(clean_end::device_id(count, arguments)));
  running = value(device->create_queue());
  held = value(device->create_queue());
  buffer = value(device->allocate(DType::u32, {1 << 16}));
  const Signal never = value(Signal::create(0, "never"));
  for (int i = 0; i < 50; ++i) {
    value(running->submit(CommandList{}.fill(*buffer, 1u).call([] {
      for (int round = 0; round < 10000; ++round) work.fetch_add(1, std::memory_order_relaxed);
    })));
  }
  value(held->submit(CommandList{}.fill(*buffer, 2u), {.after = {never.at(1)}}));
  value(never.at(1).then([](const Result<void>&) {}, Timeout::infinite()));
  std::exit(0);
}
