// The signature of an entry, for files, and words for its parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pintle/entry.h"

namespace pintle::base {

/// What `Entry::signature` returns. Throws std::bad_alloc where memory runs out, so that no pack is written without it.
[[nodiscard]] std::string signature_of(const Entry& entry);

/// What an argument for a parameter is, in a sentence: "a buffer".
[[nodiscard]] std::string_view kind_text(Parameter::Kind kind) noexcept;

/// The bytes from one element of a buffer to the next: a vector of three takes the place of four.
[[nodiscard]] inline std::uint64_t stride_of(const Parameter& parameter) noexcept {
  return bytes_of(parameter.dtype) * (parameter.lanes == 3 ? 4 : 1);
}

/// A dtype with its lanes as a signature has it: "f32", "f32x3". Throws std::bad_alloc where memory runs out.
[[nodiscard]] std::string text_of(DType dtype, std::uint32_t lanes);

/// The type of a parameter as a signature has it: "read f32[n] align 16". Throws std::bad_alloc where memory runs out.
[[nodiscard]] std::string type_text(const Parameter& parameter);

}  // namespace pintle::base
