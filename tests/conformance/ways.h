// One launch run three ways: submitted, recorded and replayed, and replayed through slots. All must give the same
// bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "conformance/context.h"

namespace pintle::conformance {

/// An argument of such a launch. Each way gets fresh buffers with these bytes.
struct Operand {
  enum class Kind : unsigned char { buffer, scalar };
  Kind kind = Kind::buffer;
  DType dtype = DType::u8;
  std::vector<std::byte> bytes;

  template <Element T>
  [[nodiscard]] static Operand buffer(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {Kind::buffer, dtype_of<T>(), {bytes.begin(), bytes.end()}};
  }
  template <Element T>
  [[nodiscard]] static Operand scalar(T value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return {Kind::scalar, dtype_of<T>(), {bytes.begin(), bytes.end()}};
  }
};

/// The bytes of every buffer operand after the launch; empty in the places of scalars.
using Outputs = std::vector<std::vector<std::byte>>;

/// Runs the launch each way and checks that the bytes are equal. Ends the case where a way fails.
[[nodiscard]] Outputs three_ways(Context& test, const Kernel& kernel, const Extent& extent,
                                 std::span<const Operand> operands);

template <Element T>
[[nodiscard]] std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The count values first, first + step, ...
template <Element T>
[[nodiscard]] std::vector<T> ramp(std::size_t count, T first = 0, T step = 1) {
  std::vector<T> values(count);
  for (T& value : values) value = std::exchange(first, static_cast<T>(first + step));
  return values;
}

}  // namespace pintle::conformance
