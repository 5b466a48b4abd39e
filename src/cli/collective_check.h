// What each rank gives to a collective operation, and what must come out of it: computed here, by code that the library
// does not share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pintle/collective.h"
#include "pintle/dtype.h"

namespace pintle::cli {

/// False for pairs that the library refuses: bit operations of floats; order and logic of complex numbers; mean of
/// bool.
[[nodiscard]] bool has_meaning(ReduceOp op, DType dtype) noexcept;

/// The values and their folds are whole numbers of at most 8: exact in every dtype, in whatever order they are folded.
/// The values repeat after `period` elements, a prime, so that the check sees a part that lies in another part's place.
class CheckValues {
 public:
  static constexpr std::size_t period = 1021;

  CheckValues(DType dtype, std::uint32_t ranks, std::uint64_t seed) noexcept
      : dtype_(dtype), ranks_(ranks), seed_(seed) {}

  /// One period of what a rank sends where elements are moved.
  [[nodiscard]] std::vector<std::byte> sent(std::uint32_t rank) const;
  /// One period of what a rank gives to a reduction (`given`), and of the result of all ranks (`folded`).
  [[nodiscard]] std::vector<std::byte> given(ReduceOp op, std::uint32_t rank) const;
  [[nodiscard]] std::vector<std::byte> folded(ReduceOp op) const;

 private:
  static constexpr std::size_t voices = 4;
  struct Element;

  [[nodiscard]] Element element(ReduceOp op, std::size_t index) const noexcept;
  [[nodiscard]] std::int64_t value(ReduceOp op, const Element& element, std::uint32_t rank) const noexcept;
  [[nodiscard]] std::int64_t folded(ReduceOp op, const Element& element) const noexcept;
  [[nodiscard]] std::int64_t mean(std::int64_t sum) const noexcept;
  [[nodiscard]] std::uint64_t noise(std::size_t index, std::uint64_t salt) const noexcept;
  void append(std::vector<std::byte>& bytes, std::int64_t real, std::int64_t imaginary) const;
  template <class ValueAt>
  [[nodiscard]] std::vector<std::byte> reduction_period(ReduceOp op, ValueAt value_at) const;

  DType dtype_;
  std::uint32_t ranks_;
  std::uint64_t seed_;
};

/// Repeats the period over `to`, which begins with the period's element `first`.
void lay_period(std::span<std::byte> to, std::span<const std::byte> period, std::uint64_t first);
/// The elements of `got` that are not what lay_period would have written.
[[nodiscard]] std::uint64_t count_wrong(std::span<const std::byte> got, std::span<const std::byte> period,
                                        std::uint64_t first);

}  // namespace pintle::cli
