#include "base/number.h"

#include <fmt/format.h>

namespace pintle::base {
namespace {

/// "i", "u" and "f" begin the names of dtypes.
char letter_of(Number::Kind kind) noexcept {
  if (kind == Number::Kind::floating) return 'f';
  return kind == Number::Kind::signed_integer ? 'i' : 'u';
}

}  // namespace

std::string text_of(Number number) { return fmt::format("{}{}", letter_of(number.kind), number.bytes * 8); }

std::optional<DType> dtype_of(Number number) noexcept {
  const auto pick = [&](DType one, DType two, DType four, DType eight) -> std::optional<DType> {
    if (number.bytes == 1) return one;
    if (number.bytes == 2) return two;
    if (number.bytes == 4) return four;
    return number.bytes == 8 ? std::optional(eight) : std::nullopt;
  };
  using enum DType;
  if (number.kind == Number::Kind::signed_integer) return pick(i8, i16, i32, i64);
  if (number.kind == Number::Kind::unsigned_integer) return pick(u8, u16, u32, u64);
  return number.bytes == 1 ? std::nullopt : pick(f16, f16, f32, f64);
}

bool may_declare(DType dtype, Number number) noexcept {
  if (dtype_of(number) == dtype) return true;
  if (dtype == DType::complex64) return number == Number{Number::Kind::floating, 4};
  using enum DType;
  const bool is_unsigned = number.kind == Number::Kind::unsigned_integer && number.bytes == bytes_of(dtype);
  if ((dtype == f16 || dtype == f64) && is_unsigned) return true;
  const bool is_nameless = dtype == boolean || dtype == bf16 || dtype == f8_e4m3fn || dtype == f8_e5m2;
  return is_nameless && number.kind != Number::Kind::floating && number.bytes == bytes_of(dtype);
}

}  // namespace pintle::base
