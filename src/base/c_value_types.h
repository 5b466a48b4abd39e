// The types, in a source of C, of what its functions take by value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::base {

/// The types of a function's parameters behind the first, which is the group, as the compiler writes them.
using CTypes = std::vector<std::string>;

/// By entry; empty for entries without a parameter by value, and for functions that the source does not have or that
/// take an array of addresses. Nothing else in C names the type of a parameter, so the compiler is made to refuse an
/// assignment of the function: its words have the types. Whatever is read there is compared again, by the compiler.
[[nodiscard]] Result<std::vector<CTypes>> c_value_types(std::string_view name, std::span<const std::string> command,
                                                        std::string_view source, std::span<const Entry> entries);

/// The types in what gcc or clang says of the function of `entry`.
[[nodiscard]] CTypes c_types_in(std::string_view words, std::string_view entry);

}  // namespace pintle::base
