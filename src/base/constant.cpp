#include "base/constant.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace pintle::base {
namespace {

template <class T>
T read(const ScalarValue& value) noexcept {
  T number;
  std::memcpy(&number, value.bytes.bytes.data(), sizeof number);
  return number;
}

std::optional<std::uint64_t> whole(double number) noexcept {
  constexpr double end = 18446744073709551616.0;  // 2^64
  if (!(number >= 0) || number >= end || number != std::trunc(number)) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

}  // namespace

std::optional<std::uint64_t> whole_number(const ScalarValue& value) noexcept {
  if (value.dtype == DType::f32) return whole(static_cast<double>(read<float>(value)));
  if (value.dtype == DType::f64) return whole(read<double>(value));
  if (value.dtype < DType::i8 || value.dtype > DType::u64) return std::nullopt;
  std::uint64_t bits = 0;
  const std::size_t size = bytes_of(value.dtype);
  std::memcpy(&bits, value.bytes.bytes.data(), size);
  const bool is_negative = value.dtype <= DType::i64 && (bits >> (8 * size - 1) & 1) != 0;
  return is_negative ? std::nullopt : std::optional(bits);
}

}  // namespace pintle::base
