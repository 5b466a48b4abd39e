// Declarations of the functions of sub-groups, which the cpu does not have.
#pragma once

#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::opencl_c {

/// Whether a source does not compile since it calls a function of sub-groups that is not declared.
[[nodiscard]] bool lacks_subgroups(const Error& error);
/// The text with those functions declared, and the numbers of its lines as they were. A kernel that calls one is
/// refused by the function's name then, and the others of the source compile.
[[nodiscard]] std::string with_subgroups(std::string_view text);

}  // namespace pintle::opencl_c
