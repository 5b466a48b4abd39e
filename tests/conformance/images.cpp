#include "conformance/images.h"

#include <algorithm>
#include <string>

namespace pintle::conformance {

const TexelSupport* support_of(const Context& test, Texel texel) {
  const auto found = std::ranges::find(test.info().texels, texel, &TexelSupport::texel);
  return found == test.info().texels.end() ? nullptr : &*found;
}

void require_texel(const Context& test, Texel texel) {
  test.require(Feature::images);
  const TexelSupport* const support = support_of(test, texel);
  if (support == nullptr || support->access != Access::read_write)
    test.not_applicable("kernels do not read and write " + std::string(name(texel)));
}

Image make_image(const Context& test, const ImageExtent& extent, Texel texel, Access access) {
  return need(test.device().create_image(extent, texel, {.label = "of a case", .access = access}));
}

Octets pattern(std::size_t count, std::uint32_t seed) {
  Octets octets(count);
  std::uint32_t state = seed * 2654435761u + 12345;
  for (std::uint8_t& octet : octets) {
    state = state * 1664525u + 1013904223u;
    octet = static_cast<std::uint8_t>(state >> 24);
  }
  return octets;
}

void put(const Context& test, Queue& queue, const ImageView& image, const Octets& texels) {
  const Buffer rows = test.buffer(texels);
  test.finish(need(queue.submit(CommandList{}.copy(image, rows))));
}

Octets texels_of(const Context& test, Queue& queue, const ImageView& image) {
  const Buffer rows = test.buffer(Octets(image.size_bytes()));
  need(queue.submit(CommandList{}.copy(rows, image)));
  return test.read<std::uint8_t>(queue, rows);
}

}  // namespace pintle::conformance
