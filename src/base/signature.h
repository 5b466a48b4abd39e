// The signature of an entry, for files.
#pragma once

#include <cstdint>
#include <string>

#include "pintle/entry.h"

namespace pintle::base {

/// What `Entry::signature` returns. Throws std::bad_alloc where memory runs out, so that no pack is written without it.
[[nodiscard]] std::string signature_of(const Entry& entry);

/// A dtype with its lanes as a signature has it: "f32", "f32x3". Throws std::bad_alloc where memory runs out.
[[nodiscard]] std::string text_of(DType dtype, std::uint32_t lanes);

/// The type of a parameter as a signature has it: "read f32[n] align 16". Throws std::bad_alloc where memory runs out.
[[nodiscard]] std::string type_text(const Parameter& parameter);

}  // namespace pintle::base
