// State that outlives queues and programs: a handle, whose front a kernel reads while it writes the back, and a
// checkpoint of it.
#include <vector>

#include "examples/example.h"

using namespace pintle;

constexpr std::uint32_t n = 512, steps = 100;

std::vector<std::uint32_t> after(std::vector<std::uint32_t> now) {
  std::vector<std::uint32_t> next(n);
  for (std::uint32_t i = 0; i < steps; ++i, std::swap(now, next)) {
    for (std::size_t at = 0; at < n; ++at) next[at] = now[(at + n - 1) % n] ^ now[(at + 1) % n];
  }
  return now;
}

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Handle cells = must(Handle::create(device, "cells", DType::u32, {n}, Keep::host_shadow()));
    std::vector<std::uint32_t> first(n);
    first[n / 2] = 1;
    must(cells.write(queue, first));
    const auto go_on = [&](Queue& on) {
      const Kernel advance = must(device.load(pack, "advance"));  // a program of its own each time
      for (std::uint32_t i = 0; i < steps; ++i) {
        must(on.submit(CommandList{}.exec(advance, Grid::cover(n), cells.view(), must(cells.next()), n)));
        must(cells.flip());
      }
    };
    go_on(queue);
    must(cells.checkpoint(queue));
    const auto kept = must(read<std::uint32_t>(queue, cells.view()));
    go_on(queue);
    must(cells.restore(queue));  // back to the checkpoint
    const auto again = must(read<std::uint32_t>(queue, cells.view()));
    return example::verdict(device, "state that came back", kept == after(first) && again == kept);
  });
}
