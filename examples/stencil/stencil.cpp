// Heat in a plate with one hot edge, 60 steps, compared with double precision.
#include <cmath>
#include <vector>

#include "examples/example.h"

using namespace pintle;

constexpr std::uint32_t width = 200, height = 90, steps = 60;

std::vector<double> relaxed(std::vector<double> now) {
  std::vector<double> next = now;
  for (std::uint32_t step = 0; step < steps; ++step, std::swap(now, next)) {
    for (std::size_t y = 1; y + 1 < height; ++y) {
      for (std::size_t i = y * width + 1; i < (y + 1) * width - 1; ++i)
        next[i] = 0.25 * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]);
    }
  }
  return now;
}

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel relax = must(device.load(pack, "relax"));
    std::vector<float> plate(width * height);
    for (std::size_t x = 0; x < width; ++x) plate[x] = 100;
    const std::vector<double> right = relaxed({plate.begin(), plate.end()});
    Buffer now = must(device.allocate_for(plate)), next = must(device.allocate_for(plate));
    CommandList list;
    list.upload(now, plate);
    for (std::uint32_t step = 0; step < steps; ++step, std::swap(now, next))
      list.exec(relax, Grid::cover(width, height), now, next, width, height);
    must(queue.submit(std::move(list)));
    const std::vector<float> result = must(read<float>(queue, now));
    double worst = 0;  // each step rounds three sums of at most 400
    for (std::size_t i = 0; i < right.size(); ++i) worst = std::max(worst, std::abs(result[i] - right[i]));
    return example::verdict(device, "the heat in a plate", worst < steps * 3 * 400 * 6e-8);
  });
}
