// A histogram of 100,000 values, by atomics.
#include <vector>

#include "examples/example.h"

using namespace pintle;

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel histogram = must(device.load(pack, "histogram"));
    std::vector<std::uint32_t> values(100'000), right(256);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = (i * i / 7) % 256;
    for (const std::uint32_t value : values) ++right[value];
    Buffer from = must(device.allocate_for(values)), counts = must(device.allocate_for(right));
    const auto n = static_cast<std::uint32_t>(values.size());
    must(queue.submit(
        CommandList{}.upload(from, values).fill(counts, 0u).exec(histogram, Grid::cover(n), from, counts, n)));
    return example::verdict(device, "the histogram", must(read<std::uint32_t>(queue, counts)) == right);
  });
}
