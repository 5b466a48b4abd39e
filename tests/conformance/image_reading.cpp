#include "conformance/image_reading.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace pintle::conformance {
namespace {

/// One channel of a texel: what is stored, and what a kernel reads.
struct Stored {
  std::uint32_t bits = 0;
  double value = 0;
};

/// A half with four bits behind the point, in [1, 2): exact in every format of floats.
Stored half_of(std::uint32_t step) { return {0x3c00u | (step % 16) << 6, 1 + (step % 16) / 16.0}; }

Stored channel(Channel kind, std::uint32_t step) {
  switch (kind) {
    case Channel::unorm8: return {step * 37 % 256, step * 37 % 256 / 255.0};
    case Channel::unorm16: return {step * 9001 % 65536, step * 9001 % 65536 / 65535.0};
    case Channel::snorm8: {
      const auto value = static_cast<std::int8_t>(step * 37 % 256);
      return {static_cast<std::uint8_t>(value), std::max(value / 127.0, -1.0)};
    }
    case Channel::snorm16: {
      const auto value = static_cast<std::int16_t>(step * 9001 % 65536);
      return {static_cast<std::uint16_t>(value), std::max(value / 32767.0, -1.0)};
    }
    case Channel::u8: return {step * 37 % 256, static_cast<double>(step * 37 % 256)};
    case Channel::u16: return {step * 9001 % 65536, static_cast<double>(step * 9001 % 65536)};
    case Channel::u32: return {step * 2654435761u, static_cast<double>(step * 2654435761u)};
    case Channel::i8: {
      const auto value = static_cast<std::int8_t>(step * 37 % 256);
      return {static_cast<std::uint8_t>(value), static_cast<double>(value)};
    }
    case Channel::i16: {
      const auto value = static_cast<std::int16_t>(step * 9001 % 65536);
      return {static_cast<std::uint16_t>(value), static_cast<double>(value)};
    }
    case Channel::i32: return {step * 2654435761u, static_cast<double>(static_cast<std::int32_t>(step * 2654435761u))};
    case Channel::f16: return half_of(step * 5);
    case Channel::f32: break;
  }
  const float value = 1 + static_cast<float>(step * 5 % 64) / 64;
  return {std::bit_cast<std::uint32_t>(value), value};
}

/// The texels that a coordinate falls on, with the weight of the second; empty for one of the border.
struct Steps {
  std::optional<std::int64_t> before, behind;
  double share = 0;
};

std::optional<std::int64_t> addressed(std::int64_t i, std::int64_t side, Address address) {
  switch (address) {
    case Address::edge: return std::clamp<std::int64_t>(i, 0, side - 1);
    case Address::repeat: return (i % side + side) % side;
    case Address::mirror: {
      const std::int64_t at = (i % (2 * side) + 2 * side) % (2 * side);
      return at < side ? at : 2 * side - 1 - at;
    }
    case Address::border: break;
  }
  return i < 0 || i >= side ? std::nullopt : std::optional(i);
}

Steps steps_of(double coordinate, std::uint32_t side, const Sampler& sampler) {
  const double u = sampler.coordinates == Coordinates::normalized ? coordinate * side : coordinate;
  const double at = sampler.filter == Filter::linear ? u - 0.5 : u;
  const auto first = static_cast<std::int64_t>(std::floor(at));
  if (sampler.filter == Filter::nearest) return {addressed(first, side, sampler.address), std::nullopt, 0};
  return {addressed(first, side, sampler.address), addressed(first + 1, side, sampler.address), at - std::floor(at)};
}

using Texels = std::array<double, 4>;

Texels texel_at(const HostImage& image, std::optional<std::int64_t> x, std::optional<std::int64_t> y,
                std::optional<std::int64_t> z) {
  Texels texel{};
  if (!x || !y || !z) return texel;
  const std::size_t channels = channels_of(image.texel);
  const auto place = static_cast<std::size_t>((*z * image.extent.height + *y) * image.extent.width + *x);
  for (std::size_t c = 0; c < channels; ++c) texel[c] = image.values[place * channels + c];
  return texel;
}

}  // namespace

HostImage host_image(const ImageExtent& extent, Texel texel) {
  HostImage image{extent, texel, {}, {}};
  const std::size_t count = std::size_t{extent.width} * extent.height * extent.slices() * channels_of(texel);
  const std::uint32_t bytes = bytes_of(channel_of(texel));
  image.bytes.resize(count * bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const Stored stored = channel(channel_of(texel), static_cast<std::uint32_t>(i * i + 3 * i));
    std::memcpy(image.bytes.data() + i * bytes, &stored.bits, bytes);  // little-endian
    image.values.push_back(stored.value);
  }
  return image;
}

std::array<double, 4> read_of(const HostImage& image, const Sampler& sampler, std::span<const float, 3> at) {
  const Steps x = steps_of(at[0], image.extent.width, sampler), y = steps_of(at[1], image.extent.height, sampler);
  const bool is_flat = image.extent.depth == 0;
  const Steps z = is_flat ? Steps{0, 0, 0} : steps_of(at[2], image.extent.depth, sampler);
  Texels sum{};
  for (int corner = 0; corner < 8; ++corner) {
    const bool i = (corner & 1) != 0, j = (corner & 2) != 0, k = (corner & 4) != 0;
    const double weight = (i ? x.share : 1 - x.share) * (j ? y.share : 1 - y.share) * (k ? z.share : 1 - z.share);
    if (weight == 0) continue;
    const Texels texel = texel_at(image, i ? x.behind : x.before, j ? y.behind : y.before, k ? z.behind : z.before);
    for (std::size_t c = 0; c < 4; ++c) sum[c] += weight * texel[c];
  }
  return sum;
}

std::vector<std::uint8_t> written(const HostImage& host) {
  std::vector<std::uint8_t> bytes = host.bytes;
  const Channel channel = channel_of(host.texel);
  if (channel != Channel::snorm8 && channel != Channel::snorm16) return bytes;
  const std::size_t each = channel == Channel::snorm8 ? 1 : 2;
  for (std::size_t i = 0; i < bytes.size(); i += each)
    if (bytes[i + each - 1] == 0x80 && (each == 1 || bytes[i] == 0)) bytes[i] |= 1;
  return bytes;
}

std::vector<float> places_in(const ImageExtent& extent, const Sampler& sampler) {
  std::vector<float> places;
  const bool is_normalized = sampler.coordinates == Coordinates::normalized;
  // In eighths of a texel, from one and a half images before to two behind; never where nearest jumps.
  const auto coordinate = [&](std::uint32_t step, std::uint32_t side) {
    const int range = 28 * static_cast<int>(side);
    int eighths = static_cast<int>(step * 7919u % static_cast<std::uint32_t>(range)) - 12 * static_cast<int>(side);
    if (sampler.filter == Filter::nearest && eighths % 8 == 0) eighths += 3;
    const double texels = eighths / 8.0;
    return static_cast<float>(is_normalized ? texels / side : texels);
  };
  for (std::uint32_t i = 0; i < 500; ++i) {
    places.push_back(coordinate(i, extent.width));
    places.push_back(coordinate(i * 3 + 1, extent.height));
    places.push_back(extent.depth == 0 ? 0 : coordinate(i * 5 + 2, extent.depth));
    places.push_back(0);
  }
  return places;
}

double tolerance_of(Texel texel, const Sampler& sampler) {
  const Channel kind = channel_of(texel);
  const double range = kind == Channel::snorm8 || kind == Channel::snorm16 ? 2 : kind >= Channel::f16 ? 2 : 1;
  constexpr double rounding = 1e-5;
  if (sampler.filter == Filter::nearest) return rounding * range;
  const double step = kind == Channel::unorm8 || kind == Channel::snorm8 ? 1.0 / 255 : 0;  // some lerp in such steps
  return range * (1.0 / 256 + rounding) + step;
}

}  // namespace pintle::conformance
