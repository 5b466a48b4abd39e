// The signature that a function of a StableHLO text says.
#pragma once

#include "pintle/entry.h"
#include "pintle/error.h"
#include "stablehlo/function.h"

namespace pintle::stablehlo {

/// The entry that `backends/pjrt` runs the function for, called as the function is. An argument is a parameter of its
/// name; one of rank 0 comes by value. It is `read_write` where `tf.aliasing_output` gives its memory to a result.
/// Every other result is a buffer that is only written, called as its alias is, else "result", "result1".
/// `invalid_argument` says what the text leaves to a declaration, `unsupported` what no signature has; the error's text
/// follows the entry's name.
[[nodiscard]] Result<Entry> infer(const Function& function);

}  // namespace pintle::stablehlo
