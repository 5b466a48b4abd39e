#include "kit/c_literal.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/quote.h"

namespace pintle::kit {
namespace {

using backend::Constant;

template <class T>
T value_as(const Constant& constant) {
  T value;
  std::memcpy(&value, constant.value.bytes.data(), sizeof value);
  return value;
}

/// Infinities and NaNs have no digits, so they are written as builtins of the compiler.
std::string float_literal(double value, std::string_view suffix) {
  if (std::isnan(value)) return fmt::format("__builtin_nan{}(\"\")", suffix);
  if (std::isinf(value)) return fmt::format("({}__builtin_inf{}())", value < 0 ? "-" : "", suffix);
  return fmt::format("({:a}{})", value, suffix);
}

/// The least value of a type has no literal of that type.
template <class T>
std::string signed_literal(const Constant& constant, std::string_view suffix) {
  const T value = value_as<T>(constant);
  if (value != std::numeric_limits<T>::min()) return fmt::format("({}{})", value, suffix);
  return fmt::format("({}{} - 1)", value + 1, suffix);
}

template <class T>
std::string unsigned_literal(const Constant& constant, std::string_view suffix) {
  return fmt::format("{}{}", value_as<T>(constant), suffix);
}

}  // namespace

Result<std::string> c_literal(const Constant& constant) {
  switch (constant.dtype) {
    case DType::boolean: return std::string(value_as<std::uint8_t>(constant) != 0 ? "1" : "0");
    case DType::i8: return signed_literal<std::int8_t>(constant, "");
    case DType::i16: return signed_literal<std::int16_t>(constant, "");
    case DType::i32: return signed_literal<std::int32_t>(constant, "");
    case DType::i64: return signed_literal<std::int64_t>(constant, "l");
    case DType::u8: return unsigned_literal<std::uint8_t>(constant, "");
    case DType::u16: return unsigned_literal<std::uint16_t>(constant, "");
    case DType::u32: return unsigned_literal<std::uint32_t>(constant, "u");
    case DType::u64: return unsigned_literal<std::uint64_t>(constant, "ul");
    case DType::f32: return float_literal(static_cast<double>(value_as<float>(constant)), "f");
    case DType::f64: return float_literal(value_as<double>(constant), "");
    default: break;
  }
  return Error(Errc::unsupported, fmt::format("Constant {} has a dtype ({}) that C has no type for.",
                                              base::quote(constant.name), name(constant.dtype)));
}

}  // namespace pintle::kit
