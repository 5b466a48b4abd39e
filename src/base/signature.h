// The signature of an entry, for files.
#pragma once

#include <string>

#include "pintle/entry.h"

namespace pintle::base {

/// What `Entry::signature` returns. Throws std::bad_alloc where memory runs out, so that no pack is written without it.
[[nodiscard]] std::string signature_of(const Entry& entry);

/// The type of a parameter as a signature has it: "read f32[n] align 16". Throws std::bad_alloc where memory runs out.
[[nodiscard]] std::string type_text(const Parameter& parameter);

}  // namespace pintle::base
