// What ranks give in tests: elements that repeat, so that what they become is known after one period.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "collective/fold/reduction.h"
#include "pintle/collective.h"
#include "pintle/dtype.h"
#include "reference.h"

namespace pintle::collective {

using Bytes = reference::Bytes;
using Random = std::mt19937_64;

/// Whether results of folds in another order than the ranks' are to be the same: then all partial results are exact.
enum class Values : std::uint8_t { any, exact };

class Pattern {
 public:
  /// A prime: parts, slices and messages begin at other places of it.
  static constexpr std::uint64_t period = 251;

  Pattern(DType dtype, Bytes elements) : element_bytes_(bytes_of(dtype)), elements_(std::move(elements)) {}

  [[nodiscard]] const Bytes& elements() const noexcept { return elements_; }
  /// Elements [first, first + count).
  [[nodiscard]] Bytes bytes(std::uint64_t first, std::uint64_t count) const {
    Bytes bytes(count * element_bytes_);
    std::uint64_t from = first % period * element_bytes_;
    for (std::uint64_t done = 0; done < bytes.size(); from = 0) {
      const std::uint64_t now = std::min<std::uint64_t>(bytes.size() - done, elements_.size() - from);
      std::memcpy(bytes.data() + done, elements_.data() + from, now);
      done += now;
    }
    return bytes;
  }

 private:
  std::uint64_t element_bytes_;
  Bytes elements_;
};

/// A number of which sums and products of some ranks are exact in f32.
inline float exact_number(ReduceOp op, Random& random) {
  if (op == ReduceOp::prod) return std::array{-2.0f, -1.0f, 0.5f, 1.0f, 2.0f}[random() % 5];
  return static_cast<float>(random() % 17) - 8.0f;
}

inline float any_number(Random& random) { return static_cast<float>(random() % 8'000'001) * 1e-6f - 4.0f; }

inline std::uint64_t random_complex(ReduceOp op, Values values, Random& random) {
  const auto bits = [](float real, float imaginary) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(imaginary)} << 32 | std::bit_cast<std::uint32_t>(real);
  };
  if (values == Values::any) return bits(any_number(random), any_number(random));
  // No product of these has a part that is zero, whose sign depends on the order; but for 1, which changes nothing.
  if (op == ReduceOp::prod) return random() % 2 == 0 ? bits(4, 1) : bits(1, 0);
  return bits(exact_number(op, random), exact_number(op, random));
}

inline std::uint64_t random_element(DType dtype, ReduceOp op, Values values, Random& random) {
  const bool is_zero = random() % 4 == 0;  // what logical operators look for
  if (dtype == DType::complex64) return random_complex(op, values, random);
  if (reference::is_integer(dtype)) return is_zero ? 0 : random();
  if (dtype == DType::boolean) return is_zero ? 0 : 1;
  const float value = is_zero && op >= ReduceOp::logical_and ? 0.0f
                      : values == Values::exact              ? exact_number(op, random)
                                                             : any_number(random);
  if (dtype == DType::f32) return std::bit_cast<std::uint32_t>(value);
  if (dtype == DType::f64) return std::bit_cast<std::uint64_t>(values == Values::exact ? value : value / 3.0);
  return reference::narrow_format(dtype)->encoded(value);
}

inline Pattern random_pattern(DType dtype, ReduceOp op, Values values, std::uint64_t seed) {
  Random random(seed);
  const std::uint64_t size = bytes_of(dtype);
  Bytes elements(Pattern::period * size);
  for (std::uint64_t at = 0; at < elements.size(); at += size) {
    reference::put_bits(elements, at, size, random_element(dtype, op, values, random));
  }
  return {dtype, std::move(elements)};
}

inline Pattern folded(ReduceOp op, DType dtype, const std::vector<Pattern>& sources) {
  std::vector<Bytes> elements;
  for (const Pattern& source : sources) elements.push_back(source.elements());
  return {dtype, reference::fold(op, dtype, elements, static_cast<std::uint32_t>(sources.size()))};
}

/// Memory at any alignment, with room on both sides that nobody may touch.
class Guarded {
 public:
  Guarded(Bytes bytes, std::uint64_t shift) : shift_(room + shift), size_(bytes.size()) {
    memory_.assign(shift_ + size_ + room, untouched);
    std::ranges::copy(bytes, memory_.begin() + static_cast<std::ptrdiff_t>(shift_));
  }
  Guarded(std::uint64_t size, std::uint64_t shift) : Guarded(Bytes(size, untouched), shift) {}

  [[nodiscard]] std::span<std::byte> bytes() noexcept { return std::span(memory_).subspan(shift_, size_); }
  [[nodiscard]] bool has_only(const Bytes& expected) const {
    const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(shift_);
    const auto end = begin + static_cast<std::ptrdiff_t>(size_);
    const auto is_untouched = [](std::byte value) { return value == untouched; };
    return size_ == expected.size() && std::equal(begin, end, expected.begin()) &&
           std::all_of(memory_.begin(), begin, is_untouched) && std::all_of(end, memory_.end(), is_untouched);
  }

  static constexpr std::byte untouched{0xa5};

 private:
  static constexpr std::uint64_t room = 64;

  Bytes memory_;
  std::uint64_t shift_, size_;
};

}  // namespace pintle::collective
