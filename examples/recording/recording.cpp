// A list that is checked once and replayed with other buffers and numbers: its slots.
#include <vector>

#include "examples/example.h"

using namespace pintle;

int main(int count, char** arguments) {
  return example::run([&] {
    constexpr std::uint32_t n = 1000;
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel blend = must(device.load(pack, "blend"));
    const std::vector<float> ones(n, 1), tens(n, 10);
    Buffer a = must(device.allocate_for(ones)), b = must(device.allocate_for(tens)),
           sum = must(device.allocate_for(ones));
    must(queue.submit(CommandList{}.upload(a, ones).upload(b, tens).fill(sum, 0.0f)));
    Recording step = must(device.record(CommandList{}.exec(blend, Grid::cover(n), Slot{0}, sum, Slot{1}, n)));
    for (int turn = 0; turn < 10; ++turn) {
      must(queue.replay(step, {a, 2.0f}));
      must(queue.replay(step, {b, 0.5f}));
    }
    return example::verdict(device, "what 20 replays mixed",
                            must(read<float>(queue, sum)) == std::vector<float>(n, 10 * (2 * 1 + 0.5f * 10)));
  });
}
