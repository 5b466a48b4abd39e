// A number as a kernel's language has it, beside the dtype that a signature declares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pintle/dtype.h"

namespace pintle::base {

struct Number {
  enum class Kind : std::uint8_t { signed_integer, unsigned_integer, floating };
  Kind kind = Kind::unsigned_integer;
  std::uint32_t bytes = 4;
  friend bool operator==(const Number&, const Number&) = default;
};

/// "i32", "u8", "f64".
[[nodiscard]] std::string text_of(Number number);
/// The dtype of the same name; empty where there is none (a float of one byte).
[[nodiscard]] std::optional<DType> dtype_of(Number number) noexcept;
/// Whether a signature may declare `dtype` where the code has `number`: the same type; an integer of the same size for
/// a dtype that kernel languages have no name for (bool, bf16, f8), or an unsigned one for a dtype that not every
/// device has (f16, f64); a half of a complex number.
[[nodiscard]] bool may_declare(DType dtype, Number number) noexcept;

}  // namespace pintle::base
