// Submissions of a queue beside many others that are alive and have used the same buffer: live_queues.py counts their
// instructions.
#include <cstdlib>
#include <vector>

#include "pintle/pintle.h"

namespace {

using namespace pintle;

constexpr int measured = 50;  // live_queues.py has the same

[[gnu::noinline]] void submit_and_wait(Queue& queue, const Buffer& buffer) {
  must(queue.submit_and_wait(CommandList{}.fill(buffer, 1u)));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const Device device = must(open(arguments[1]));
  const Buffer buffer = must(device.allocate(DType::u32, {64}));
  std::vector<Queue> queues;
  for (int i = std::atoi(arguments[2]); i > 0; --i) {
    queues.push_back(must(device.create_queue()));
    must(queues.back().submit_and_wait(CommandList{}.fill(buffer, 1u)));
  }
  for (int i = 0; i < measured; ++i) submit_and_wait(queues[static_cast<std::size_t>(i) % queues.size()], buffer);
}
