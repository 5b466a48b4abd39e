// Samplers: how a kernel reads an image between its texels and beside them.
#pragma once

#include <cstdint>

namespace pintle {

/// What is read between texels.
enum class Filter : std::uint8_t {
  nearest = 1,
  linear = 2,  ///< The texels around, weighted; not for texels of integers.
};

/// What is read outside of an image.
enum class Address : std::uint8_t {
  edge = 1,    ///< The nearest texel.
  border = 2,  ///< Zeros; where a texel has no alpha, OpenCL's kernels read 1 there.
  repeat = 3,
  mirror = 4,  ///< Repeated, each second time reversed.
};

/// What coordinates count.
enum class Coordinates : std::uint8_t {
  normalized = 1,  ///< From 0 to 1 over each side.
  texels = 2,      ///< From 0 to the number of texels; with `edge` or `border` only.
};

/// An argument for a parameter `s: sampler`: a value, which the device turns into what it needs.
struct Sampler {
  Filter filter = Filter::nearest;
  Address address = Address::edge;
  Coordinates coordinates = Coordinates::normalized;
  friend bool operator==(const Sampler&, const Sampler&) = default;
};

}  // namespace pintle
