// Gravity between 512 bodies, compared with double precision.
#include <cmath>
#include <vector>

#include "examples/example.h"

using namespace pintle;

constexpr std::uint32_t n = 512;

bool is_pull(const std::vector<float>& bodies, const std::vector<float>& pulls) {
  for (std::size_t own = 0; own < n; ++own) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double sum = 0, size = 0;
      for (std::size_t other = 0; other < n; ++other) {
        double square = 0.01;
        for (std::size_t i = 0; i < 3; ++i) square += std::pow(bodies[4 * other + i] - double{bodies[4 * own + i]}, 2);
        const double term = (bodies[4 * other + axis] - double{bodies[4 * own + axis]}) * bodies[4 * other + 3] /
                            (square * std::sqrt(square));
        sum += term;
        size += std::abs(term);
      }
      if (std::abs(pulls[4 * own + axis] - sum) > 1e-4 * size) return false;
    }
  }
  return true;
}

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel pull = must(device.load(pack, "pull"));
    std::vector<float> bodies(4 * n);
    for (std::uint32_t i = 0; i < bodies.size(); ++i) bodies[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
    Buffer from = must(device.allocate_for(bodies)), pulls = must(device.allocate_for(bodies));
    must(queue.submit(CommandList{}.upload(from, bodies).exec(pull, Grid::cover(n), from, pulls, n)));
    return example::verdict(device, "the pull of 512 bodies", is_pull(bodies, must(read<float>(queue, pulls))));
  });
}
