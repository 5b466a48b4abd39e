// Declarations of those functions of subgroups that clang does not declare.
#pragma once

#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::opencl_c {

/// Whether a source does not compile since it calls a function of subgroups that is not declared.
[[nodiscard]] bool lacks_subgroups(const Error& error);
/// The text with those functions declared, and the numbers of its lines as they were. A kernel that calls one that the
/// cpu does not have is refused by the function's name then, and the others of the source compile.
[[nodiscard]] std::string with_subgroups(std::string_view text);

}  // namespace pintle::opencl_c
