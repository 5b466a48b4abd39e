// A picture at half its size, again and again down to one texel: images, and a sampler that filters.
#include <cmath>
#include <vector>

#include "examples/example.h"

using namespace pintle;

constexpr std::uint32_t width = 128;
using Texels = std::vector<std::uint8_t>;

/// Whether each texel of `small` is the mean of four of `large`, to one step.
bool is_half(const Texels& large, const Texels& small, std::uint32_t side) {
  const std::size_t row = std::size_t{side} * 8;  // bytes of a row of `large`
  for (std::size_t i = 0; i < small.size(); ++i) {
    const std::size_t channel = i % 4, x = i / 4 % side, y = i / 4 / side;
    const std::uint8_t* const at = large.data() + 2 * y * row + 8 * x + channel;
    const double mean = (at[0] + at[4] + at[row] + at[row + 4]) / 4.0;
    if (std::abs(small[i] - mean) > 1) return false;
  }
  return true;
}

int main(int count, char** arguments) {
  return example::run([&] {
    const ProgramPack pack = example::pack();
    Device device = example::device(count, arguments, pack);
    Queue queue = must(device.create_queue());
    Kernel halve = must(device.load(pack, "halve"));
    Texels picture(4 * width * width);
    for (std::size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<std::uint8_t>(i * i / 7);
    const Sampler smooth{.filter = Filter::linear, .address = Address::edge};

    std::vector<Image> levels;
    for (std::uint32_t side = width; side != 0; side /= 2)
      levels.push_back(must(device.create_image({side, side}, Texel::rgba8)));
    Buffer texels = must(device.allocate_for(picture));
    std::vector<Texels> results{picture};
    CommandList list;
    list.upload(texels, picture).copy(levels[0], texels);
    for (std::size_t level = 1; level < levels.size(); ++level) {
      const std::uint32_t side = levels[level].extent().width;
      const BufferView part = must(texels.slice(0, 4ull * side * side));
      list.exec(halve, Grid::cover(side, side), levels[level - 1], smooth, levels[level]).copy(part, levels[level]);
      list.download(results.emplace_back(part.size_bytes()), part);
    }
    must(must(queue.submit(std::move(list))).wait());

    bool is_right = true;
    for (std::size_t level = 1; level < results.size(); ++level)
      is_right &= is_half(results[level - 1], results[level], levels[level].extent().width);
    return example::verdict(device, "each half of the picture", is_right);
  });
}
