// The spectrum of two tones, by ten passes over 1,024 complex numbers.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "examples/example.h"

using namespace pintle;

constexpr std::uint32_t n = 1024;

/// Tones 5 and 100, with the amplitudes 1 and 0.5: their places have 512 and 256, all other places nothing.
bool is_spectrum(const std::vector<float>& result) {
  for (std::size_t k = 0; k < n; ++k) {
    const double wanted = k == 5 || k == n - 5 ? 512 : k == 100 || k == n - 100 ? 256 : 0;
    if (std::abs(std::hypot(result[2 * k], result[2 * k + 1]) - wanted) > 0.01) return false;
  }
  return true;
}

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel pass = must(device.load(pack, "pass"));
    std::vector<float> wave(2 * n), turns(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(i) / n;
      turns[i] = static_cast<float>(i % 2 == 0 ? std::cos(turn / 2) : -std::sin(turn / 2 - std::numbers::pi / n));
      wave[2 * i] = static_cast<float>(std::cos(5 * turn) + 0.5 * std::sin(100 * turn));
    }
    Buffer from = must(device.allocate_for(wave)), to = must(device.allocate_for(wave)),
           by = must(device.allocate_for(turns));
    CommandList list;
    list.upload(from, wave).upload(by, turns);
    for (std::uint32_t half = 1; half < n; half *= 2, std::swap(from, to))
      list.exec(pass, Grid::cover(n / 2), from, to, by, n, half);
    must(queue.submit(std::move(list)));
    return example::verdict(device, "the spectrum of two tones", is_spectrum(must(read<float>(queue, from))));
  });
}
