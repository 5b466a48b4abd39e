// The sum of a million numbers: sums of groups, then sums of those, in one list. The declared accesses order the
// launches.
#include <numeric>
#include <vector>

#include "examples/example.h"

using namespace pintle;

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel sum = must(device.load(pack, "sum"));
    std::vector<std::uint32_t> values(1'000'000);
    std::iota(values.begin(), values.end(), 1u);
    Buffer from = must(device.allocate_for(values)), to = must(device.allocate_for(values));
    CommandList list;
    list.upload(from, values);
    Buffer *in = &from, *out = &to;
    for (auto n = static_cast<std::uint32_t>(values.size()); n > 1; n = (n + 255) / 256, std::swap(in, out))
      list.exec(sum, Grid::cover(n), *in, *out, n);
    must(queue.submit(std::move(list)));
    const std::uint32_t result = must(read<std::uint32_t>(queue, must(in->slice(0, 1))))[0];
    return example::verdict(device, "the sum of a million numbers",
                            result == std::accumulate(values.begin(), values.end(), 0u));
  });
}
