// 4,096 numbers in order, by 78 launches in one list.
#include <algorithm>
#include <vector>

#include "examples/example.h"

using namespace pintle;

int main(int count, char** arguments) {
  return example::run([&] {
    constexpr std::uint32_t n = 4096;
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel order = must(device.load(pack, "order"));
    std::vector<std::uint32_t> values(n);
    for (std::uint32_t i = 0; i < n; ++i) values[i] = i * 2654435761u;
    Buffer x = must(device.allocate_for(values));
    CommandList list;
    list.upload(x, values);
    for (std::uint32_t run = 2; run <= n; run *= 2) {
      for (std::uint32_t step = run / 2; step > 0; step /= 2) list.exec(order, Grid::cover(n), x, run, step);
    }
    must(queue.submit(std::move(list)));
    std::ranges::sort(values);
    return example::verdict(device, "the order of 4,096 numbers", must(read<std::uint32_t>(queue, x)) == values);
  });
}
