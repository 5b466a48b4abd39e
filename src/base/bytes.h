// Arithmetic on byte counts that reports an overflow, and little-endian fields.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

namespace pintle::base {

/// a + b; empty when it does not fit.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checked_add(T a, T b) noexcept {
  if (b > std::numeric_limits<T>::max() - a) return std::nullopt;
  return static_cast<T>(a + b);
}

/// a * b; empty when it does not fit.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checked_mul(T a, T b) noexcept {
  T product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// What std::has_single_bit says; that is a call of a function where the processor need not count bits.
template <std::unsigned_integral T>
[[nodiscard]] constexpr bool is_power_of_two(T value) noexcept {
  return value != 0 && (value & (value - 1)) == 0;
}

/// The least multiple of `alignment`, a power of two, that is not below `value`; `value` is far from the end.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T round_up(T value, T alignment) noexcept {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// The least multiple of `alignment` that is not below `value`; empty when it does not fit or `alignment` is no power
/// of two.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> align_up(T value, T alignment) noexcept {
  if (!is_power_of_two(alignment)) return std::nullopt;
  const T mask = static_cast<T>(alignment - 1);
  const auto raised = checked_add(value, mask);
  if (!raised) return std::nullopt;
  return static_cast<T>(*raised & static_cast<T>(~mask));
}

/// True when [offset, offset + size) lies within [0, limit). Safe where offset + size overflows.
[[nodiscard]] constexpr bool range_fits(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) noexcept {
  return offset <= limit && size <= limit - offset;
}

/// The little-endian number at `offset`; empty when it does not lie within `bytes`.
template <std::unsigned_integral T>
[[nodiscard]] std::optional<T> load_little(std::span<const std::byte> bytes, std::uint64_t offset) noexcept {
  if (!range_fits(offset, sizeof(T), bytes.size())) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return std::endian::native == std::endian::little ? value : std::byteswap(value);
}

/// `value` as little-endian bytes.
template <std::unsigned_integral T>
[[nodiscard]] std::array<std::byte, sizeof(T)> little(T value) noexcept {
  return std::bit_cast<std::array<std::byte, sizeof(T)>>(
      std::endian::native == std::endian::little ? value : std::byteswap(value));
}

}  // namespace pintle::base
