// A thread that nobody joins uses the device while the process ends.
#include <atomic>
#include <thread>

#include "conformance/clean_ends/clean_end.h"

using namespace pintle;
using clean_end::value;

int main(int count, char** arguments) {
  const Device device = value(open(clean_end::device_id(count, arguments)));
  static std::atomic<int> rounds{0};
  std::thread([device] {
    for (;;) {
      auto queue = device.create_queue();
      if (queue && queue->submit_and_wait(CommandList{})) ++rounds;
    }
  }).detach();
  while (rounds.load() < 3) std::this_thread::yield();
  return 0;
}
