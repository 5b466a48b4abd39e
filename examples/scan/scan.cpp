// Running sums of 65,536 numbers in three launches: of each group, of the groups' sums, and both together.
#include <numeric>
#include <vector>

#include "examples/example.h"

using namespace pintle;

int main(int count, char** arguments) {
  return example::run([&] {
    constexpr std::uint32_t group = 256, n = group * group;
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    const Program program = must(device.load(pack));
    const Kernel scan = must(program.kernel("scan")), add = must(program.kernel("add"));
    std::vector<std::uint32_t> values(n);
    for (std::uint32_t i = 0; i < n; ++i) values[i] = i * 2654435761u % 1000;
    Buffer x = must(device.allocate_for(values)), sums = must(device.allocate(DType::u32, {group})),
           all = must(device.allocate(DType::u32, {1}));
    must(queue.submit(CommandList{}
                          .upload(x, values)
                          .exec(scan, Grid::cover(n), x, sums)
                          .exec(scan, Grid::cover(group), sums, all)
                          .exec(add, Grid::cover(n), x, sums)));
    std::partial_sum(values.begin(), values.end(), values.begin());
    return example::verdict(device, "the scan of 65,536 numbers", must(read<std::uint32_t>(queue, x)) == values);
  });
}
